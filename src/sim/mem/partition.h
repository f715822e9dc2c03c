// One memory partition: the crossbar port in, caches where the machine has them (partition_caches.h), a queue, the DRAM
// and its scheduler, the crossbar port out. It moves from event to event (a request arrives, a cache answers, a DRAM
// command); what it does depends on arrival times only, never on how its time is cut into steps.
#pragma once

#include <vector>

#include "base/ring.h"
#include "base/slot_pool.h"
#include "sim/mem/arrival_order.h"
#include "sim/mem/crossbar.h"
#include "sim/mem/device_memory.h"
#include "sim/mem/dram.h"
#include "sim/mem/merge_table.h"
#include "sim/mem/partition_caches.h"
#include "sim/mem/sorted_heads.h"

namespace warptime::sim {

/// The two channels between one TPC and one partition.
struct Link {
  RequestChannel requests;
  ResponseChannel responses;
};

class Partition {
 public:
  /// `links`: by TPC.
  Partition(const MachineConfig& machine, DeviceMemory& memory, std::vector<Link*> links);

  /// Everything before shader cycle `end`, as step number `step`.
  void run(Cycle end, uint64_t step);
  /// What run() does last; for steps in which it is not called.
  void finish_step(uint64_t step);
  const StepResult& result() const { return result_; }
  /// Writes the stores that are visible from the end of the last run on.
  void apply_stores();

  bool idle() const;
  DramStats statistics() const { return dram_.statistics(); }
  const CacheStats& l2_statistics() const { return caches_.l2_statistics(); }

 private:
  struct Entry;
  /// Requests in the order in which they came. A request is in one of these at a time.
  class Queue {
   public:
    bool empty() const { return first_ == nullptr; }
    Entry& front() const { return *first_; }
    void push(Entry& entry) {
      entry.next = nullptr;
      (empty() ? first_ : last_->next) = &entry;
      last_ = &entry;
    }
    void pop() { first_ = first_->next; }
    void clear() { first_ = nullptr; }

   private:
    Entry *first_ = nullptr, *last_ = nullptr;
  };
  struct alignas(64) Entry {  // a request in the partition
    Packet packet;
    uint64_t at = 0;  // memory cycle from which it is in the queue
    Cycle done = 0;   // its answer at the crossbar port
    Link* link = nullptr;
    Entry* next = nullptr;      // in its queue
    Queue followers;            // merged reads that it answers
    uint32_t id = 0;            // in its pool
    bool write_back = false;    // a line that a cache let go: nobody is answered
    bool answer_rides = false;  // with that of the request before it
  };
  struct AppliedStore {
    Cycle visible = 0;  // window edge
    PendingStore* store = nullptr;
  };

  static bool due(const Ring<AppliedStore>& applied, Cycle now) {
    return !applied.empty() && applied.front().visible <= now;
  }
  bool has_stores_to_apply() const { return due(applied_, end_) || due(applied_atomics_, end_); }
  void apply(PendingStore& store);
  Cycle next_event() const;
  void look(uint64_t step);
  Entry* accept(Cycle end);
  Entry& new_entry();
  void arrive(Entry& entry);
  [[gnu::noinline]] bool merged(Entry& entry);
  [[gnu::noinline]] bool cached(Entry& entry);
  [[gnu::noinline]] void write_back(ReadKind cache, Addr offset, uint64_t now);
  [[gnu::noinline]] void write_back_bytes(Addr offset, uint32_t bytes, uint64_t now);
  void enqueue(Entry& entry);
  void admit(const Entry& entry, uint64_t now);
  void serve(const DramServed& served, uint64_t now);
  /// The data that the request wants, or the confirmation of its store, are there at `ready`.
  void answer(Queue& queue, Entry& entry, Cycle ready, uint64_t now);
  [[gnu::noinline]] void change(Entry& entry, Cycle ready, uint64_t now);
  void send_answers(Cycle end);
  void send(Queue& answers);
  static uint64_t key_of(const Packet& packet) { return packet.cycle << 16 | packet.sm; }

  ClockRatio clock_;
  CrossbarPort in_, out_;
  Cycle window_, pipeline_, response_latency_;
  bool merges_;
  std::vector<Link*> links_;
  SortedHeads heads_;  // by TPC: its first request that has not been accepted, by arrival and then SM
  SlotPool<Entry> entries_;
  Entry* arriving_ = nullptr;  // accepted by the port, not yet in the queue
  Queue waiting_;              // in the queue, not yet in the scheduler
  Dram dram_;
  MergeTable merges_by_sm_;
  PartitionCaches caches_;
  Queue from_dram_, from_caches_, from_atomics_;           // each in the order in which they leave
  Ring<AppliedStore> applied_{256}, applied_atomics_{64};  // each in the order in which they become visible
  DeviceMemory& memory_;
  bool has_atomics_;
  Cycle atomic_cycles_;
  Cycle atomic_unit_free_ = 0;
  ArrivalOrder arrived_;      // kept only by machines that have atomics
  Cycle end_ = 0;             // of the last run
  Cycle wakes_tpc_ = kNever;  // first effect of what was sent in this step
  StepResult result_;
};

}  // namespace warptime::sim
