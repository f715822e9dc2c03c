// The memory system as the chip drives it: a TpcMemory for each TPC (its SMs' queues and its crossbar port) and a
// Partition for each memory partition (input queue, DRAM). They never look at each other: a step of the simulation runs
// all of them over the same cycles [begin, end), in any order or in parallel, and what one sends is read by the others
// from the next step on. That is exact because every crossing takes at least a window and a step is at most a window.
//
//   for each step:  every TpcMemory.begin_step, every Partition.run, in parallel  ->  barrier  ->  flip()
//   at window edges, before the step:  Partition.apply_stores (parallel: partitions own disjoint addresses)  -> barrier
#pragma once

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

/// One TPC's side. All calls of a step are made by one thread in (cycle, SM) order.
class TpcMemory {
 public:
  /// Takes the answers and credits that the partitions sent before this step.
  void begin_step(Cycle begin, Cycle end);
  /// Moves queued transactions into the crossbar port up to and including cycle `now`.
  void advance(Cycle now);
  /// Room in the SM's queue at `now` for an instruction of `transactions` (an empty queue takes any number).
  bool has_room(uint32_t sm_in_tpc, uint32_t transactions, Cycle now);
  /// First cycle after `now` at which has_room may change its answer; kNever if not before the step ends.
  Cycle next_room(uint32_t sm_in_tpc, Cycle now) const;
  /// Queues a transaction that is ready to leave the SM at `request.cycle` (not before earlier ones of the same SM).
  void send(uint32_t sm_in_tpc, const Request& request);
  /// Cycle of the earliest answer for any SM of this TPC; kNever if none in this step.
  Cycle next_response() const;
  Response pop_response();
  /// Transactions queued or on their way and not yet answered, of this TPC.
  uint64_t outstanding() const;

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
  MemorySystem(const MachineConfig& machine, DeviceMemory& memory);
  ~MemorySystem();

  TpcMemory& tpc(uint32_t index);
  /// Runs partition `index` over [begin, end) shader cycles.
  void run_partition(uint32_t index, Cycle begin, Cycle end);
  /// Writes to DeviceMemory the stores that partition `index` has applied, in (cycle, SM, slot) order; they are visible
  /// from the next step on. The SM may release its PendingStore once its acknowledgement has arrived AND this has been
  /// called.
  void apply_stores(uint32_t index);
  bool has_stores_to_apply() const;
  /// After every step: what was sent in it becomes readable in the next.
  void flip();

  /// No request, answer or unapplied store anywhere.
  bool idle() const;
  /// Earliest cycle >= `now` at which anything happens in the memory system; kNever if idle. Lets the chip jump over
  /// idle steps.
  Cycle next_event(Cycle now) const;
  uint32_t partition_count() const;
  DramStats dram_statistics() const;
  void reset();  // between launches

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace warptime::sim
