// One memory partition: the crossbar port in, caches where the machine has them (partition_caches.h), a queue, the DRAM
// and its scheduler, the crossbar port out. It moves from event to event (a request arrives, a cache answers, a DRAM
// command); what it does depends on arrival times only, never on how its time is cut into steps.
#pragma once

#include <array>
#include <bit>
#include <vector>

#include "base/ring.h"
#include "base/slot_pool.h"
#include "sim/mem/arrival_order.h"
#include "sim/mem/crossbar.h"
#include "sim/mem/device_memory.h"
#include "sim/mem/dram.h"
#include "sim/mem/memory_system.h"
#include "sim/mem/merge_table.h"
#include "sim/mem/partition_caches.h"
#include "sim/mem/sorted_heads.h"

namespace warptime::sim {

/// The two channels between one TPC and one partition.
struct Link {
  RequestChannel requests;
  AnswerChannel answers;
};

/// What joins one TPC or one partition to all on the other side.
struct Wiring {
  uint32_t index = 0;                           // its own
  std::vector<Link*> links;                     // by the other's index
  Outbox* own = nullptr;                        // where it sends
  const std::vector<Outbox>* others = nullptr;  // where they do, by their index

  /// Packets that the other one sent it in the step before.
  uint32_t fresh(uint32_t other, uint64_t step) const { return (*others)[other].fresh(index, step); }
};

class Partition {
 public:
  Partition(const MachineConfig& machine, DeviceMemory& memory, Wiring wiring);

  /// Everything before shader cycle `end`, as step number `step`.
  void run(Cycle end, uint64_t step);
  /// What run() does last; for steps in which it is not called.
  void finish_step(uint64_t step);
  uint64_t finished() const { return finished_; }  // the last step that is
  const StepResult& result() const { return result_; }
  /// Writes the stores that are visible from the end of the last run on.
  void apply_stores();
  bool has_stores_to_apply() const { return due(applied_, end_) || due(applied_atomics_, end_); }

  bool idle() const;
  /// Between launches: as it was made. False: it has had requests, and is to be made anew.
  bool restart();
  DramStats statistics(Cycle end) const { return dram_.statistics(clock_.from_shader(end)); }
  const CacheStats& l2_statistics() const { return caches_.l2_statistics(); }
  PartitionBusy busy(Cycle end) const;

 private:
  static constexpr uint32_t kNoName = ~uint32_t{0};

  /// A request that is through the port. It is moved from queue to queue: what lies in the order in which it is used is
  /// in the host's caches when it is.
  struct Arrival {
    uint64_t at = 0;           // memory cycle from which it is in the queue
    PartitionRequest request;  // rides: its answer does, with that of the request before it
    uint32_t read = kNoName;   // in reads_, if others may follow it
    uint16_t tpc = 0;
    bool write_back = false;  // a line that a cache let go: nobody is answered
    bool meets = false;       // caches or other requests, when it arrives: it may not go to DRAM
  };
  static_assert(sizeof(Arrival) == 40);
  /// Who follows a read: others that want the same lines.
  struct Followers {
    uint32_t first = kNoName, last = kNoName;
  };
  struct Follower {
    Arrival arrival;
    uint32_t next = kNoName;
  };
  struct AppliedStore {
    Cycle visible = 0;  // window edge
    PendingStore* store = nullptr;
  };

  static bool due(const Ring<AppliedStore>& applied, Cycle now) {
    return !applied.empty() && applied.front().visible <= now;
  }
  void apply(PendingStore& store);
  Cycle next_event() const;
  void look(uint64_t step);
  void accept(Cycle end);
  uint32_t kinds_that_meet(bool reads) const;
  bool meets_others(const PartitionRequest& request) const;
  uint64_t next_arrival() const;
  uint64_t next_of_waiting() const;
  void arrive(uint64_t now);
  bool plan(const PartitionRequest& request, uint32_t tpc, uint64_t at);
  [[gnu::noinline]] void meet(Arrival& arrival);
  [[gnu::noinline]] bool merged(Arrival& arrival);
  [[gnu::noinline]] bool cached(Arrival& arrival);
  [[gnu::noinline]] void write_back(ReadKind cache, Addr offset, uint64_t now);
  [[gnu::noinline]] void write_back_bytes(Addr offset, uint32_t bytes, uint64_t now);
  void enqueue(const Arrival& arrival, uint64_t now);
  void admit(const Arrival& arrival, uint64_t now);
  void serve(const DramServed& served, uint64_t now);
  [[gnu::noinline]] void served_for_others(const Arrival& arrival, uint64_t data_end, uint64_t now);
  [[gnu::noinline]] void answer_followers(uint32_t read, Cycle ready, uint64_t now);
  /// The data that the request wants, or the confirmation of its store, are there at `ready`.
  void answer(Ring<Answer>& queue, const Arrival& arrival, Cycle ready, uint64_t now);
  static void push(Ring<Answer>& queue, const PartitionRequest& request, uint32_t tpc, Cycle done);
  [[gnu::noinline]] void change(const Arrival& arrival, Cycle ready, uint64_t now);
  void send_answers(Cycle end);
  void send(Ring<Answer>& answers);
  uint32_t new_read();
  void follow(uint32_t read, const Arrival& arrival);

  ClockRatio clock_;
  CrossbarPort in_, out_;
  Cycle window_, pipeline_, response_latency_;
  bool merges_;
  Wiring wiring_;
  uint64_t looked_ = 0;         // the step for which it looked at them
  SortedHeads heads_;           // by TPC: its first request that has not been accepted, by arrival
  Ring<Arrival> arriving_{64};  // accepted by the port; those that wait for the scheduler may still be here
  uint64_t meeting_ = 0;        // of these, that meet others
  Ring<Arrival> waiting_{16};   // older than all of them
  std::array<Arrival, Dram::kMaxQueue> in_dram_;  // by the name that it has in the scheduler
  SlotPool<Followers> reads_;                     // by name
  SlotPool<Follower> followers_;
  Dram dram_;
  MergeTable merges_by_sm_;
  PartitionCaches caches_;
  Ring<Answer> from_dram_{64}, from_caches_{64}, from_atomics_{16};  // answers at the port out, in their order
  Ring<AppliedStore> applied_{64}, applied_atomics_{16};             // each in the order in which they become visible
  DeviceMemory& memory_;
  bool has_atomics_;
  uint32_t reads_meet_, writes_meet_;  // bit a ReadKind
  bool all_meet_;  // what a cache or an atomic operation writes back takes its place behind all that have come
  Cycle atomic_cycles_;
  Cycle atomic_unit_free_ = 0;
  Cycle atomic_unit_busy_ = 0;
  uint32_t bytes_per_cycle_;  // of DRAM, at its peak rate
  ArrivalOrder arrived_;      // kept only by machines that have atomics
  Cycle end_ = 0;             // of the last run
  Cycle wakes_tpc_ = kNever;  // first effect of what was sent in this step
  uint64_t finished_ = 0;
  bool had_requests_ = false;
  StepResult result_;
};

}  // namespace warptime::sim
