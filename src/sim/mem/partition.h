// One memory partition: the crossbar port in, a queue, the DRAM and its scheduler, the crossbar port out. It moves from
// event to event (a request arrives, a DRAM command); what it does depends on arrival times only, never on how its time
// is cut into steps. Caches of the partition are left out: a G80 caches only textures there.
#pragma once

#include <vector>

#include "base/ring.h"
#include "base/slot_pool.h"
#include "sim/mem/crossbar.h"
#include "sim/mem/device_memory.h"
#include "sim/mem/dram.h"
#include "sim/mem/merge_table.h"

namespace warptime::sim {

/// The two channels between one TPC and one partition.
struct Link {
  RequestChannel requests;
  ResponseChannel responses;
};

class Partition {
 public:
  /// `links`: by TPC.
  Partition(const MachineConfig& machine, std::vector<Link*> links);

  /// Everything before shader cycle `end`, as step number `step`.
  void run(Cycle end, uint64_t step);
  /// What run() does last; for steps in which it is not called.
  void finish_step(uint64_t step);
  const StepResult& result() const { return result_; }
  /// Writes the stores that are visible from the end of the last run on.
  void apply_stores(DeviceMemory& memory);

  bool idle() const;
  const DramStats& statistics() const { return dram_.statistics(); }

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};

  struct Entry {  // a request in the partition
    Packet packet;
    uint64_t at = 0;  // memory cycle from which it is in the queue
    uint32_t tpc = 0;
    uint32_t first_follower = kNone, last_follower = kNone;  // merged reads that it answers
    uint32_t next = kNone;                                   // of a follower: the next one
  };
  struct AppliedStore {
    Cycle visible = 0;  // window edge
    PendingStore* store = nullptr;
  };

  bool has_stores_to_apply() const { return !applied_.empty() && applied_.front().visible <= end_; }
  Cycle next_event() const;
  void accept(Cycle end);
  void arrive(uint32_t id);
  bool merged(uint32_t id);
  void admit(uint32_t id, uint64_t now);
  void serve(const DramServed& served);
  void answer(uint32_t id, uint64_t data_end);
  uint64_t head_key(uint32_t tpc) const;

  ClockRatio memory_;
  CrossbarPort in_, out_;
  Cycle window_, pipeline_, response_latency_;
  bool merges_;
  std::vector<Link*> links_;
  std::vector<uint64_t> keys_;  // by TPC: order of its first request that has not been accepted
  SlotPool<Entry> entries_;
  Ring<uint32_t> arriving_{256};  // accepted by the port, not yet in the queue
  Ring<uint32_t> waiting_{256};   // in the queue, not yet in the scheduler
  Dram dram_;
  MergeTable merges_by_sm_;
  Ring<AppliedStore> applied_{256};
  Cycle end_ = 0;             // of the last run
  Cycle wakes_tpc_ = kNever;  // first effect of what was sent in this step
  StepResult result_;
};

}  // namespace warptime::sim
