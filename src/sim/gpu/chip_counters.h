// All counters of a timed chip at one moment. The difference of two moments is the count of the time between them; a
// sampled launch is the sum of multiples of such differences (gpu/sampler.h).
#pragma once

#include <vector>

#include "base/clock.h"
#include "sim/core/sm_counters.h"
#include "sim/gpu/gpu.h"
#include "sim/model/statistics.h"
#include "sim/state/launch_context.h"

namespace warptime::sim {

struct ChipCounters : ChipStatistics {
  std::vector<SmCounters> sms;
  std::vector<TpcBusy> tpcs;
  std::vector<PartitionBusy> partitions;

  ChipCounters() = default;
  /// With rows by instruction, from which estimates are made; `lines`: also with those of SmCounters::lines.
  ChipCounters(size_t sm_count, size_t instructions, size_t tpc_count = 0, size_t partition_count = 0,
               bool lines = false)
      : sms(sm_count, SmCounters(instructions, true, lines)), tpcs(tpc_count), partitions(partition_count) {}

  void add(const ChipCounters& other);
  /// Subtracts the counters of an earlier moment.
  void subtract(const ChipCounters& earlier);
  /// Every number, rounded.
  void scale(double factor);
  uint64_t warp_instructions() const;

  /// Replaces the estimated executions, lanes, branches and accesses with the exact ones of a functional run of the
  /// whole launch. Only their sum over SMs is known, and only that is reported.
  void take_values(const SmCounters& all_sms);
  /// Restores the invariants after rounding, and scales the stalls of each SM so that issued and stalls fill `cycles`
  /// of every warp scheduler.
  void reconcile(Cycle cycles, uint32_t ports, bool attributed);
};

/// The sums over all SMs; `attributed`: with the reasons.
RunCounts counts_of(const ChipCounters& counters, bool attributed);

/// Fills in the members of `statistics` that follow from these counters, for a launch of `cycles`.
void fill(LaunchStatistics& statistics, const LaunchContext& context, const ChipCounters& counters, Cycle cycles,
          bool per_instruction);

}  // namespace warptime::sim
