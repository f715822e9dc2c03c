// Everything that a timed chip has counted up to one moment. The difference of two moments is what the time between
// them counted; sums and multiples of such differences make up a sampled launch (gpu/sampler.h).
#pragma once

#include <vector>

#include "base/clock.h"
#include "sim/core/sm_counters.h"
#include "sim/model/statistics.h"
#include "sim/state/launch_context.h"

namespace warptime::sim {

struct ChipCounters : ChipStatistics {
  std::vector<SmCounters> sms;
  std::vector<TpcBusy> tpcs;
  std::vector<PartitionBusy> partitions;

  ChipCounters() = default;
  /// With rows by instruction, which estimates are made of.
  ChipCounters(size_t sm_count, size_t instructions, size_t tpc_count = 0, size_t partition_count = 0)
      : sms(sm_count, SmCounters(instructions, true)), tpcs(tpc_count), partitions(partition_count) {}

  void add(const ChipCounters& other);
  /// Of an earlier moment.
  void subtract(const ChipCounters& earlier);
  /// Every number, rounded.
  void scale(double factor);
  uint64_t warp_instructions() const;

  /// Puts what a functional run of the whole launch counted (executions, lanes, branches, accesses) in place of the
  /// same here: exact, where those here are estimates. Only their sum over SMs is known, and only that is reported.
  void take_values(const SmCounters& all_sms);
  /// Makes the laws hold that rounding broke, and stretches the stalls of each SM so that with what was issued they
  /// fill `cycles` on every port.
  void reconcile(Cycle cycles, uint32_t ports, bool attributed);
};

/// Fills in everything of `statistics` that these counters say about a launch of `cycles`.
void fill(LaunchStatistics& statistics, const LaunchContext& context, const ChipCounters& counters, Cycle cycles,
          bool per_instruction);

}  // namespace warptime::sim
