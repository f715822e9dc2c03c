#include "sim/gpu/sample_estimate.h"

#include <algorithm>
#include <cmath>

namespace warptime::sim {

namespace {

/// Variance of the sum of the samples' deviations, and how many independent ones that rests on.
struct Spread {
  double variance = 0;
  uint32_t freedom = 0;
};

Spread spread_of(const Stratum& stratum, double ratio) {
  size_t count = stratum.samples.size();
  size_t batches = stratum.batches == 0 ? count : std::min<size_t>(stratum.batches, count);
  if (batches < 2) return {};
  double squares = 0;
  for (size_t b = 0; b < batches; ++b) {
    double deviation = 0;
    for (size_t i = b * count / batches; i < (b + 1) * count / batches; ++i)
      deviation += stratum.samples[i].cycles - ratio * stratum.samples[i].instructions;
    squares += deviation * deviation;
  }
  auto n = static_cast<double>(batches);
  return {squares * n / (n - 1), static_cast<uint32_t>(batches - 1)};
}

}  // namespace

Estimate estimate(std::span<const Stratum> strata) {
  Estimate out;
  double variance = 0;
  uint32_t freedom = 0;
  for (const Stratum& stratum : strata) {
    Measured sum;
    for (const Measured& sample : stratum.samples) {
      sum.cycles += sample.cycles;
      sum.instructions += sample.instructions;
    }
    if (sum.instructions == 0) continue;
    double ratio = sum.cycles / sum.instructions;
    out.cycles += stratum.instructions * ratio;
    Spread spread = spread_of(stratum, ratio);
    double expansion = stratum.instructions / sum.instructions;
    variance += expansion * expansion * spread.variance * (1 - stratum.sampled_share);
    freedom += spread.freedom;
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
