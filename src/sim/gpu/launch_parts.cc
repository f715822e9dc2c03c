#include "sim/gpu/launch_parts.h"

#include <utility>

namespace warptime::sim {

LaunchParts::LaunchParts(const LaunchContext& context, const RunOptions& options)
    : context_(context), options_(options), needs_(options.needs()) {
  if (needs_.interval != 0) next_ = needs_.interval;
}

void LaunchParts::take(ChipCounters counters) {
  if (taken_.counters) hand_over(taken_.cycle, std::move(*taken_.counters));
  taken_ = {next_, std::move(counters)};
  next_ += needs_.interval;
}

void LaunchParts::end(Cycle cycles, const ChipCounters& counters) {
  if (next_ == kNever) return;
  if (taken_.counters && taken_.cycle < cycles) hand_over(taken_.cycle, std::move(*taken_.counters));
  if (cycles > from_.cycle) hand_over(cycles, counters);
}

void LaunchParts::hand_over(Cycle end, ChipCounters counters) {
  ChipCounters counted = counters;
  if (from_.counters) counted.subtract(*from_.counters);
  LaunchInterval part{.launch = options_.launch, .begin = from_.cycle, .end = end, .counted = {}};
  part.counted.kernel = context_.kernel->kernel->name;
  part.counted.attributed = options_.attribution || needs_.trace != nullptr;
  part.counted.time_us = time_of(*context_.machine, end - from_.cycle);
  fill(part.counted, context_, counted, end - from_.cycle, false);
  from_ = {end, std::move(counters)};
  options_.listener->interval(part);
}

}  // namespace warptime::sim
