#include "sim/gpu/sample_estimate.h"

#include <algorithm>
#include <cmath>

namespace warptime::sim {

namespace {

/// What the stratum takes, its variance, and how many independent deviations that rests on.
struct Line {
  double cycles = 0;
  double variance = 0;
  uint32_t freedom = 0;
};

Line through(const Stratum& stratum) {
  auto n = static_cast<double>(stratum.samples.size());
  double t = 0, i = 0, ii = 0, it = 0;
  for (const Measured& sample : stratum.samples) {
    t += sample.cycles / n;
    i += sample.instructions / n;
  }
  for (const Measured& sample : stratum.samples) {
    ii += (sample.instructions - i) * (sample.instructions - i);
    it += (sample.instructions - i) * (sample.cycles - t);
  }
  bool flat = stratum.samples.size() < 3 || ii <= 1e-12 * i * i;  // too few, or all alike
  double slope = flat ? 0 : it / ii, away = stratum.instructions - i;
  Line line;
  line.cycles = stratum.segments * (t + slope * away);

  size_t count = stratum.samples.size();
  size_t batches = stratum.batches == 0 ? count : std::min<size_t>(stratum.batches, count);
  size_t used = flat ? 1 : 2;
  if (batches <= used) return line;
  double squares = 0;
  for (size_t b = 0; b < batches; ++b) {
    double deviation = 0;
    for (size_t k = b * count / batches; k < (b + 1) * count / batches; ++k)
      deviation += stratum.samples[k].cycles - t - slope * (stratum.samples[k].instructions - i);
    squares += deviation * deviation;
  }
  line.freedom = static_cast<uint32_t>(batches - used);
  double of_one = squares / n * static_cast<double>(batches) / line.freedom;  // variance of a sample's deviation
  double of_mean = of_one * (1 / n * (1 - n / stratum.segments) + (flat ? 0 : away * away / ii));
  line.variance = stratum.segments * stratum.segments * of_mean;
  return line;
}

}  // namespace

Estimate estimate(std::span<const Stratum> strata) {
  Estimate out;
  double variance = 0;
  uint32_t freedom = 0;
  for (const Stratum& stratum : strata) {
    Line line = through(stratum);
    out.cycles += line.cycles;
    variance += line.variance;
    freedom += line.freedom;
  }
  out.half_width = freedom == 0 ? 0 : student_t(freedom) * std::sqrt(variance);
  return out;
}

double student_t(uint32_t degrees_of_freedom) {
  // Any table of the distribution; three decimals.
  static constexpr double kTable[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                      2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                                      2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
  if (degrees_of_freedom == 0) return kTable[0];
  if (degrees_of_freedom <= std::size(kTable)) return kTable[degrees_of_freedom - 1];
  return 1.960 + 2.4 / degrees_of_freedom;  // within 0.003
}

}  // namespace warptime::sim
