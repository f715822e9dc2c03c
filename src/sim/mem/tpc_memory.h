// What a TpcMemory is made of: a queue for each SM, credits for each partition, the crossbar port out, the port in.
//
// The head of an SM's queue waits until its partition has a credit for this TPC; the port takes the waiting heads in
// (ready cycle, SM) order, one packet at a time. A credit is taken when the packet enters the port, and comes back at
// the first window edge after its answer has left the partition. Nothing is ticked: the port's next packet follows from
// the queues, so the state is brought up to a cycle only when somebody looks.
#pragma once

#include <algorithm>
#include <vector>

#include "base/ring.h"
#include "sim/mem/crossbar.h"
#include "sim/mem/memory_system.h"
#include "sim/mem/partition.h"
#include "sim/mem/partition_map.h"

namespace warptime::sim {

struct TpcMemory::Impl {
  /// `step`: number of the step that is run; between steps, of the next.
  Impl(const MachineConfig& machine, std::vector<Link*> partition_links, const uint64_t* step);

  void begin_step(Cycle begin, Cycle end);
  void finish_step();
  /// Everything that the port does before `now`.
  void settle(Cycle now);
  bool has_room(uint32_t sm_in_tpc, uint32_t transactions, Cycle now);
  Cycle next_room(uint32_t sm_in_tpc, Cycle now) const;
  void send(uint32_t sm_in_tpc, const Request& request);
  Cycle next_event() const;
  bool idle() const { return outstanding == 0; }

  struct SmQueue {
    Ring<Packet> packets{64};  // cycle: ready to leave the SM
    uint32_t wanted = 1;       // transactions that has_room was last asked for
    uint32_t group = ~0u;      // of the last read, and
    Addr word = 0, address = 0;

    /// Whether a read is for the same word of the same half-warp as the one before.
    bool repeats(const Request& request) {
      bool same = request.store == nullptr && request.kind == ReadKind::Plain && request.group == group &&
                  request.word == word && request.address == address;
      group = request.store == nullptr && request.kind == ReadKind::Plain ? request.group : ~0u;
      word = request.word;
      address = request.address;
      return same;
    }
  };
  struct FromPartition {
    Link* link = nullptr;
    uint32_t credits = 0;
    uint64_t credited = 0;  // answers in the channel, from its front, whose credit is back
  };

  bool blocked(const Packet& head) const { return partitions[head.partition].credits == 0; }
  /// Core cycle in which this head would enter the port. Credits are back at `held`, a step's begin, not before.
  uint64_t port_begin(const Packet& head, Cycle held) const {
    return head.rides ? out.begin_beside(head.cycle, held) : out.begin(head.cycle, held);
  }
  uint32_t next_queue() const;
  void accept_responses(Cycle end);
  uint64_t head_key(uint32_t partition) const;
  /// Window edge at which the credit of this answer is back.
  Cycle credit_edge(const Response& response) const { return edge_after(response.cycle - response_latency, window); }

  PartitionMap map;
  bool merges;
  CrossbarPort out, in;
  Cycle window, request_latency, response_latency;
  uint32_t queue_entries;
  std::vector<SmQueue> queues;            // by SM in the TPC; the last is the caches' own
  std::vector<FromPartition> partitions;  // by partition
  std::vector<uint64_t> keys;             // by partition: order of its first answer that has not been accepted
  Ring<Response> delivered{64};           // accepted by the port; cycle: at the SM
  uint64_t outstanding = 0;
  const uint64_t* step;
  Cycle wakes_partition = kNever;  // first arrival of what was sent in this step
  Cycle settled = 0;               // cycles before this are done
  Cycle next_pick = 0;             // the port does nothing before this
  Cycle begin = 0, end = 0;        // of the step
  StepResult result;
};

}  // namespace warptime::sim
