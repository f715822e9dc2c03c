// The parts of a launch that a sampled run measures: each from the moment at which a block of a given number (in the
// order of launch) is assigned to an SM to the moment at which a later one is. A moment is the end of its step; time
// and counters are both read there, so they are consistent.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/gpu/chip_counters.h"

namespace warptime::sim {

struct Interval {
  static constexpr uint64_t kEnd = ~uint64_t{0};  // the end of the launch

  uint64_t first = 0;    // assigned blocks when it begins
  uint64_t last = kEnd;  // and when it ends
  uint32_t part = 0;     // whose counters it adds to
  // Measured:
  Cycle cycles = 0;
  uint64_t warp_instructions = 0;
};

class IntervalRecorder {
 public:
  /// `intervals` in order, not overlapping, the first from 0 on; `nothing`: counters of the chip before the launch.
  IntervalRecorder(std::vector<Interval> intervals, uint32_t parts, const ChipCounters& nothing)
      : intervals_(std::move(intervals)), parts_(parts, nothing), begin_(nothing) {}

  /// The number of assigned blocks at which its next interval begins or ends.
  uint64_t next() const {
    if (at_ == intervals_.size()) return Interval::kEnd;
    return open_ ? intervals_[at_].last : intervals_[at_].first;
  }
  void look(uint64_t handed_out, Cycle now, const ChipCounters& counters) {
    while (at_ < intervals_.size() && next() <= handed_out) {
      Interval& interval = intervals_[at_];
      if (open_) {
        ChipCounters counted = counters;
        counted.subtract(begin_);
        interval.cycles = now - begin_cycle_;
        interval.warp_instructions = counted.warp_instructions();
        parts_[interval.part].add(counted);
        ++at_;
      } else {
        begin_ = counters;
        begin_cycle_ = now;
      }
      open_ = !open_;
    }
  }

  const std::vector<Interval>& intervals() const { return intervals_; }
  std::vector<ChipCounters>& parts() { return parts_; }

 private:
  std::vector<Interval> intervals_;
  std::vector<ChipCounters> parts_;
  size_t at_ = 0;
  bool open_ = true;  // the first begins with the launch
  ChipCounters begin_;
  Cycle begin_cycle_ = 0;
};

}  // namespace warptime::sim
