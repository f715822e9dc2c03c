// The memory system as the chip drives it: a TpcMemory for each TPC (its SMs' queues and its crossbar port) and a
// Partition for each memory partition (input queue, DRAM). None of them reads the state of another: a step of the
// simulation runs all of them over the same cycles [begin, end), in any order or in parallel, and packets sent in a
// step are read by their receivers from the next step on. This is exact because every crossing takes at least a window
// and a step is at most a window.
//
//   for each step:  every TpcMemory (begin_step ... finish_step), every run_partition, in parallel
//                   ->  when all TPCs have finished: apply_stores (in parallel: partitions own disjoint addresses)
//                   ->  exchange()
//
// A step never crosses a window edge. Steps before next_event() may be skipped, for all units together.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.h"
#include "sim/mem/coalescer.h"
#include "sim/mem/device_memory.h"
#include "sim/mem/request.h"
#include "sim/mem/step_result.h"
#include "sim/mem/tpc_memory.h"
#include "sim/model/machine.h"
#include "sim/model/statistics.h"

namespace warptime {
class StateReader;
class StateWriter;
}  // namespace warptime

namespace warptime::sim {

class ChipContents;
struct PartitionView;

class MemorySystem {
 public:
  /// `may_plan`: no result depends on it (open_row_plans.h).
  MemorySystem(const MachineConfig& machine, DeviceMemory& memory, bool may_plan = true);
  ~MemorySystem();

  TpcMemory& tpc(uint32_t index);
  /// Runs partition `index` over [begin, end) shader cycles.
  const StepResult& run_partition(uint32_t index, Cycle begin, Cycle end);
  /// Writes to DeviceMemory the stores of partition `index` that become visible at the window edge at which its last
  /// run ended, in (cycle, SM, slot) order for each address, and marks each PendingStore visible. A store's
  /// acknowledgement reaches its SM later.
  void apply_stores(uint32_t index);
  /// Whether any store becomes visible.
  bool has_stores_to_apply(uint32_t index) const;
  /// After every step: packets sent in it become readable in the next.
  void exchange();
  /// exchange() where all TPCs have finished the step and all partitions have run.
  void end_step();

  /// No request, answer or unapplied store anywhere.
  bool idle() const;
  /// Earliest cycle >= `now` whose step must be run; kNever if idle. Only between steps, after exchange().
  Cycle next_event(Cycle now) const;
  uint32_t partition_count() const;
  /// Between steps; `address`: of device memory, whose place and lines are asked for.
  std::vector<PartitionView> view(std::optional<Addr> address) const;
  /// Up to `end`, which is not before the end of the last step.
  DramStats dram_statistics(Cycle end) const;
  /// All launches have ended: what an L2 that keeps nothing has to write to DRAM is written.
  void flush();
  std::vector<DramStats> partitions_dram(Cycle end) const;  // by partition
  DataCacheStats cache_statistics(ReadKind kind) const;
  /// Busy cycles of each partition, up to `end` as in dram_statistics.
  std::vector<PartitionBusy> partitions_busy(Cycle end) const;
  /// Requests in all partitions, up to the last step or to a later `end`, without how often they were full.
  QueueUse partition_use(Cycle end = 0) const;
  /// Times in queues since the last reset, if that was with shares, without those of launches that have ended.
  QueueTimes queue_times() const;
  LatencyStages latency_stages() const;
  /// A launch begins, which may be run several times, each after a reset(): each run finds what the launch before left,
  /// or nothing if that did not end (leave).
  void begin_launch();
  /// Before each run of launches. `with_shares`: what each of them does is counted (launch_shares.h), and packets are
  /// timed in their queues.
  void reset(bool with_shares = false);
  /// With shares: that of a launch which has ended, in a partition; TPCs have theirs.
  PartitionShare take_share(uint32_t partition, uint32_t launch);
  /// What a run finds; TPCs leave there what their caches hold at its end.
  ChipContents& contents();
  /// A run of the launch has ended at `end`, and the TPCs have left what they hold: the partitions do, and the next
  /// launch finds all of it.
  void leave(Cycle end);

  /// Between steps (base/state_archive.h); the SMs, which own the outstanding stores, have been saved or restored.
  void save(StateWriter& archive);
  void restore(StateReader& archive);  // after reset()

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace warptime::sim
