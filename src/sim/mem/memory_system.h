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
#include "sim/model/machine.h"
#include "sim/model/statistics.h"

namespace warptime {
class StateReader;
class StateWriter;
}  // namespace warptime

namespace warptime::sim {

class MemorySystem;
struct PartitionView;

/// The result of a step, of one of its tasks or of several together.
struct StepResult {
  Cycle next = kNever;  // its own next event, or the first effect of its packets elsewhere
  bool ended_blocks = false;
  bool fault = false;
  bool heap_requests = false;  // unanswered calls of malloc or free

  template <class Archive>
  void serialize(Archive& archive) {
    archive(next, ended_blocks, fault, heap_requests);
  }

  void add(const StepResult& other) {
    next = std::min(next, other.next);
    ended_blocks |= other.ended_blocks;
    fault |= other.fault;
    heap_requests |= other.heap_requests;
  }
};

/// The memory system seen from one TPC. One thread makes all calls of a step, in (cycle, SM) order.
class TpcMemory {
 public:
  /// Receives the answers and credits that the partitions sent before this step.
  void begin_step(Cycle begin, Cycle end);
  /// Moves queued transactions into the crossbar port at cycles before `now`; at `now` itself, more may still be sent.
  void advance(Cycle now);
  /// The SMs have finished the step: publishes the sent packets. exchange() calls it for TPCs that have not.
  const StepResult& finish_step();
  /// Whether the SM's queue can accept an instruction of `transactions` at `now` (an empty queue accepts any number). A
  /// transaction that enters the port in cycle n frees its entry from n + 1 on.
  bool has_room(uint32_t sm_in_tpc, uint32_t transactions, Cycle now);
  /// After has_room returned false: a lower bound of the first cycle after `now` at which it returns true; kNever if
  /// not within this step: call has_room at the beginning of the next.
  Cycle next_room(uint32_t sm_in_tpc, Cycle now) const;
  /// Of its SMs' queues, without how often they were full; and how often a partition had no credit left for it.
  QueueUse queue_use() const;
  uint64_t times_no_credit() const;
  /// Transactions in the SM's queue at `now`.
  uint32_t queued(uint32_t sm_in_tpc, Cycle now);
  /// Queues `count` equal transactions, the first ready to leave the SM at `request.cycle` (not before earlier ones of
  /// the same SM), the others at intervals of `spacing` cycles.
  void send(uint32_t sm_in_tpc, const Request& request, uint32_t count = 1, uint32_t spacing = 0);
  /// An instruction that issues at `now` is about to send so many: what has left the queue by then is not counted with
  /// them (QueueUse::most).
  void will_send(uint32_t sm_in_tpc, uint32_t transactions, Cycle now);
  /// The same for a line that the TPC's caches fetch, which have a queue of their own that is never full.
  void send_fetch(const Request& request);
  /// Announces so many `counted` reads with this tag, of which only the last answer is delivered.
  void expect(uint32_t sm_in_tpc, uint32_t tag, uint32_t answers);
  /// Cycle of the earliest answer for any SM of this TPC; kNever if none in this step.
  Cycle next_response() const;
  Response pop_response();
  /// Transactions that are queued or outstanding.
  uint64_t outstanding() const;
  TpcBusy busy() const;
  const TranslationStats& translations() const;

  struct Impl;
  explicit TpcMemory(std::unique_ptr<Impl> impl);
  TpcMemory(TpcMemory&&) noexcept;
  ~TpcMemory();

 private:
  friend class MemorySystem;
  std::unique_ptr<Impl> impl_;
};

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
  /// The same if all TPCs have finished the step and all partitions have run.
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
  std::vector<DramStats> partitions_dram(Cycle end) const;  // by partition
  CacheStats cache_statistics(ReadKind kind) const;
  /// Of each partition, up to `end` as in dram_statistics.
  std::vector<PartitionBusy> partitions_busy(Cycle end) const;
  /// Requests in all partitions, up to the last step, without how often they were full.
  QueueUse partition_use() const;
  /// Of the last reset, if it was with times.
  QueueTimes queue_times() const;
  /// Between launches. `with_times`: the next one's packets are timed in their queues.
  void reset(bool with_times = false);

  /// Between steps (base/state_archive.h); the SMs, which own the outstanding stores, have been saved or restored.
  void save(StateWriter& archive);
  void restore(StateReader& archive);  // after reset()

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace warptime::sim
