// Cuts a timed launch into parts of equal length, and hands over what was counted in each. A part is handed over when
// the next one ends: a launch may turn out to have ended before the edge at which it was last looked at.
#pragma once

#include <optional>

#include "sim/gpu/chip_counters.h"
#include "sim/gpu/gpu.h"

namespace warptime::sim {

class LaunchParts {
 public:
  LaunchParts(const LaunchContext& context, const RunOptions& options);

  /// The cycle at which a part ends; kNever: nobody asks.
  Cycle next() const { return next_; }
  /// At this cycle: the counters, with waits under way.
  void take(ChipCounters counters);
  /// At the end of the launch.
  void end(Cycle cycles, const ChipCounters& counters);

 private:
  struct Moment {
    Cycle cycle = 0;
    std::optional<ChipCounters> counters = {};  // nullopt: the beginning
  };
  void hand_over(Cycle end, ChipCounters counters);

  const LaunchContext& context_;
  const RunOptions& options_;
  LaunchNeeds needs_;
  Cycle next_ = kNever;
  Moment from_, taken_;
};

}  // namespace warptime::sim
