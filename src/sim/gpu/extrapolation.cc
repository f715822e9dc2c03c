#include "sim/gpu/extrapolation.h"

namespace warptime::sim {

namespace {

constexpr uint32_t kBatches = 10;

/// What is left for the samples to say, once start and end are known.
double middle(std::span<const Interval> measured, double instructions) {
  return instructions - static_cast<double>(measured.front().warp_instructions + measured.back().warp_instructions);
}

}  // namespace

Estimate launch_cycles(const SamplePlan& plan, std::span<const Interval> measured, double instructions) {
  std::vector<Stratum> strata(plan.strata());
  for (const Interval& sample : measured.subspan(1, measured.size() - 2))
    strata[sample.part - 1].samples.push_back(
        {static_cast<double>(sample.cycles), static_cast<double>(sample.warp_instructions)});
  for (uint32_t h = 0; h < plan.strata(); ++h) {
    Stratum& stratum = strata[h];
    stratum.segments = static_cast<double>(plan.segments[h]);
    stratum.instructions = middle(measured, instructions) * plan.weight[h] / stratum.segments;
    if (plan.strata() == 1) stratum.batches = kBatches;
  }
  Estimate result = estimate(strata);
  result.cycles += static_cast<double>(measured.front().cycles + measured.back().cycles);
  return result;
}

ChipCounters launch_counters(const SamplePlan& plan, IntervalRecorder& recorder, double instructions) {
  ChipCounters sum = recorder.parts().front();
  for (uint32_t h = 0; h < plan.strata(); ++h) {
    ChipCounters& part = recorder.parts()[1 + h];
    part.scale(middle(recorder.intervals(), instructions) * plan.weight[h] /
               static_cast<double>(part.warp_instructions()));
    sum.add(part);
  }
  sum.add(recorder.parts().back());
  return sum;
}

}  // namespace warptime::sim
