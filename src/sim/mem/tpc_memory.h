// The memory system as one TPC sees it: a queue for each of its SMs and its crossbar port. memory_system.h says how the
// chip runs it.
#pragma once

#include <cstdint>
#include <memory>

#include "base/clock.h"
#include "sim/mem/launch_shares.h"
#include "sim/mem/request.h"
#include "sim/mem/step_result.h"
#include "sim/model/statistics.h"

namespace warptime::sim {

class ChipContents;
class MemorySystem;

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
  /// Occupancy of the SMs' queues, `times_full` left 0; and how often a partition had no credit left for this TPC.
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
  /// Queues a request for a line that the TPC's caches fetch: in a queue of their own, which is never full.
  void send_fetch(const Request& request);
  /// Queues a request of the SM's copy engine, in a queue of its own, which is never full.
  void send_copy(uint32_t sm_in_tpc, const Request& request);
  /// Announces so many `counted` reads with this tag, of which only the last answer is delivered.
  void expect(uint32_t sm_in_tpc, uint32_t tag, uint32_t answers);
  /// Cycle of the earliest answer for any SM of this TPC; kNever if none in this step.
  Cycle next_response() const;
  Response pop_response();
  /// Transactions that are queued or outstanding.
  uint64_t outstanding() const;
  TpcBusy busy() const;
  const TranslationStats& translations() const;
  /// Whether shares are kept (launch_shares.h); that of a launch which has ended.
  bool has_shares() const;
  TpcShare take_share(uint32_t launch);
  /// What the launch finds in the chip.
  const ChipContents& contents() const;

  struct Impl;
  explicit TpcMemory(std::unique_ptr<Impl> impl);
  TpcMemory(TpcMemory&&) noexcept;
  ~TpcMemory();

 private:
  friend class MemorySystem;
  std::unique_ptr<Impl> impl_;
};

}  // namespace warptime::sim
