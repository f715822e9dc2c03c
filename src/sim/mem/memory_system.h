// The memory system as the chip drives it: a TpcMemory for each TPC (its SMs' queues and its crossbar port) and a
// Partition for each memory partition (input queue, DRAM). Neither reads the state of another: a step of the simulation
// runs all of them over the same cycles [begin, end), in any order or in parallel, and what one sends is read by the
// others from the next step on. That is exact because every crossing takes at least a window and a step is at most a
// window.
//
//   for each step:  every TpcMemory (begin_step ... finish_step), every run_partition, in parallel
//                   ->  when all TPCs are through: apply_stores (in parallel: partitions own disjoint addresses)
//                   ->  exchange()
//
// A step never crosses a window edge. Steps before next_event() may be left out, for all of them together.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "base/clock.h"
#include "sim/mem/coalescer.h"
#include "sim/mem/device_memory.h"
#include "sim/mem/request.h"
#include "sim/model/machine.h"
#include "sim/model/statistics.h"

namespace warptime::sim {

class MemorySystem;

/// What there is to do after a step, by one task of it or by several together.
struct StepResult {
  Cycle next = kNever;  // its own next event, or the first effect that something it sent has elsewhere
  bool ended_blocks = false;
  bool fault = false;
  bool heap_requests = false;  // calls of malloc or free wait for an answer

  void add(const StepResult& other) {
    next = std::min(next, other.next);
    ended_blocks |= other.ended_blocks;
    fault |= other.fault;
    heap_requests |= other.heap_requests;
  }
};

/// One TPC's side. All calls of a step are made by one thread in (cycle, SM) order.
class TpcMemory {
 public:
  /// Takes the answers and credits that the partitions sent before this step.
  void begin_step(Cycle begin, Cycle end);
  /// Moves queued transactions into the crossbar port at cycles before `now`; at `now` itself others may still be sent.
  void advance(Cycle now);
  /// The SMs are through with the step: what was sent is on its way. exchange() does it for those that have not
  /// finished.
  const StepResult& finish_step();
  /// Room in the SM's queue at `now` for an instruction of `transactions` (an empty queue takes any number). A
  /// transaction that enters the port in cycle n makes room from n + 1 on.
  bool has_room(uint32_t sm_in_tpc, uint32_t transactions, Cycle now);
  /// After has_room said no: first cycle after `now` at which its answer may be yes (never later than it is); kNever if
  /// not before the step ends: call has_room at the beginning of the next.
  Cycle next_room(uint32_t sm_in_tpc, Cycle now) const;
  /// Transactions in the SM's queue at `now`.
  uint32_t queued(uint32_t sm_in_tpc, Cycle now);
  /// Queues `count` equal transactions, ready to leave the SM at `request.cycle` (not before earlier ones of the same
  /// SM) and `spacing` cycles after one another.
  void send(uint32_t sm_in_tpc, const Request& request, uint32_t count = 1, uint32_t spacing = 0);
  /// The same for a line that the TPC's caches fetch: it has a queue of its own, with room for all that can be needed.
  void send_fetch(const Request& request);
  /// Before they are sent: of so many `counted` reads with this tag only the last answer is delivered.
  void expect(uint32_t sm_in_tpc, uint32_t tag, uint32_t answers);
  /// Cycle of the earliest answer for any SM of this TPC; kNever if none in this step.
  Cycle next_response() const;
  Response pop_response();
  /// Transactions queued or on their way, whose answers have not been popped or, of those that are not delivered, come.
  uint64_t outstanding() const;
  TpcBusy busy() const;

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
  /// Writes to DeviceMemory the stores of partition `index` that become visible at the window edge where its last run
  /// ended, in (cycle, SM, slot) order for each address, and marks each PendingStore visible. A store's acknowledgement
  /// reaches its SM after this.
  void apply_stores(uint32_t index);
  /// Whether there are any.
  bool has_stores_to_apply(uint32_t index) const;
  /// After every step: what was sent in it becomes readable in the next.
  void exchange();
  /// The same where all TPCs have finished the step and all partitions have run.
  void end_step();

  /// No request, answer or unapplied store anywhere.
  bool idle() const;
  /// Earliest cycle >= `now` whose step has to be run; kNever if idle. Only between steps, after exchange().
  Cycle next_event(Cycle now) const;
  uint32_t partition_count() const;
  /// Up to `end`, which is not before the end of the last step.
  DramStats dram_statistics(Cycle end) const;
  CacheStats cache_statistics(ReadKind kind) const;
  /// Of each partition, up to `end` as in dram_statistics.
  std::vector<PartitionBusy> partitions_busy(Cycle end) const;
  void reset();  // between launches

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace warptime::sim
