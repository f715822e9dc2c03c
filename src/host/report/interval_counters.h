// What the chip did in a part of a launch (sim::LaunchInterval), as a list of numbers: the columns of `run --interval`
// and the counter tracks of `trace --interval`. Names are those of the statistics' CSV; `.share` is of the issue slots.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/gpu/gpu.h"

namespace warptime::host {

struct IntervalCounter {
  std::string name;
  std::string_view unit;
  std::variant<uint64_t, double> value;  // a count, or a rate or share that can be drawn over time
};

/// The counters of a part: the same names in the same order for all parts of a run.
std::vector<IntervalCounter> interval_counters(const sim::LaunchStatistics& part);

/// The stalls of a part, without numbers below 0 (LaunchInterval): what is missing there is taken from the largest, so
/// that the sum stays.
sim::StallCounts settled_stalls(sim::StallCounts stalls);

/// A value as CSV and JSON have it.
std::string text_of(const IntervalCounter& counter);

}  // namespace warptime::host
