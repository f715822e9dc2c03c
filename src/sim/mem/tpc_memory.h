// What a TpcMemory is made of: a queue for each SM, credits for each partition, the crossbar port out, the port in.
// Lanes that read the same word make equal transactions one after the other: those are a train, one entry in the queue.
// Until its last answer is through the port in, what an answer is for is known here by the train's name.
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
#include "sim/mem/sorted_heads.h"

namespace warptime::sim {

struct TpcMemory::Impl {
  /// `step`: number of the step that is run; between steps, of the next.
  Impl(const MachineConfig& machine, Wiring wiring, const uint64_t* step);

  void begin_step(Cycle begin, Cycle end);
  void finish_step();
  /// Everything that the port does before `now`.
  void settle(Cycle now);
  bool has_room(uint32_t sm_in_tpc, uint32_t transactions, Cycle now);
  Cycle next_room(uint32_t sm_in_tpc, Cycle now) const;
  void send(uint32_t sm_in_tpc, const Request& request, uint32_t count, uint32_t spacing);
  void expect(uint32_t sm_in_tpc, uint32_t tag, uint32_t answers);
  Cycle next_event() const;
  bool idle() const { return outstanding == 0; }

  struct FromPartition {
    Link* link = nullptr;
    uint32_t credits = 0;
    uint64_t credited = 0;  // answers in the channel, from its front, whose credit is back
  };
  /// What the answers to a train are for.
  struct Train {
    PendingStore* store = nullptr;
    uint32_t tag = 0;
    uint32_t to_come = 0;  // answers
    uint16_t count = 0;    // of them, at first
    uint16_t sm = 0;       // index on the chip
    ReadKind kind = ReadKind::Plain;
    bool atomic = false, counted = false;
  };
  /// A train that waits in a queue.
  struct Waiting {
    PartitionRequest request;  // each of them, but for `rides`: the first that is still here
    Cycle ready = 0;           // the first that is still here may leave the SM
    uint32_t count = 0;        // that are still here
    uint32_t spacing = 0;      // cycles between them
    uint32_t partition = 0;    // where they go
    uint32_t port_cycles = 0;  // that each of them takes, but those that ride
    bool others_ride = false;  // all but the first
  };
  /// An SM's transactions, or those of the caches.
  struct SmQueue {
    Waiting head;                 // the first
    uint64_t edge = 0;            // core cycle from which it may leave the SM
    FromPartition* to = nullptr;  // where it goes
    bool blocked = false;         // it waits for a credit
    uint32_t size = 0;            // transactions in the queue
    Ring<Waiting> behind{16};     // the head
    uint32_t wanted = 1;          // that has_room was last asked for
    uint32_t group = ~0u;         // of the last read, and
    Addr word = 0, address = 0;

    bool empty() const { return size == 0; }
    /// Whether a read is for the same word of the same half-warp as the one before.
    bool repeats(const Request& request) {
      bool plain = request.store == nullptr && request.kind == ReadKind::Plain;
      bool same = plain && request.group == group && request.word == word && request.address == address;
      group = plain ? request.group : ~0u;
      word = request.word;
      address = request.address;
      return same;
    }
  };
  /// Of those that wait in a queue.
  struct Place {
    Cycle ready = 0;
    bool rides = false;
  };

  void look();
  void next_head(uint32_t queue);
  void begin_head(uint32_t queue);
  void look_at_head(uint32_t queue);
  void take(uint32_t queue, uint64_t core_cycle);
  uint64_t next_to_leave() const;
  Place place_of(const SmQueue& queue, uint32_t others) const;
  uint32_t keep(const Request& request, uint32_t count);
  void accept_answers(Cycle end);
  void accept(FromPartition& from);
  bool is_awaited(const Train& train);
  /// Window edge at which the credit of this answer is back.
  Cycle credit_edge(const Answer& answer) const { return edge_after(answer.cycle - response_latency, window); }

  uint32_t first_sm;  // of the TPC, on the chip
  PartitionMap map;
  bool merges;
  CrossbarPort out, in;
  Cycle window, request_latency, response_latency;
  uint32_t queue_entries;
  uint32_t queue_count;
  std::vector<SmQueue> queues;  // by SM in the TPC; the last is the caches' own
  /// By queue: cycle when its first is ready, and its own number; kNever: it has none, or is blocked. At least kFew.
  std::vector<uint64_t> keys;
  static constexpr uint32_t kQueueBits = 8, kQueueMask = (1u << kQueueBits) - 1, kFew = 4;
  static uint64_t queue_key(Cycle ready, uint32_t queue) { return ready << kQueueBits | queue; }
  std::vector<Train> trains{256};  // by name; a power of two
  uint32_t kept = 0;               // of them, that have not been answered
  uint32_t next_name = 0;
  Wiring wiring;
  std::vector<FromPartition> partitions;       // by partition
  uint64_t looked = 0;                         // the step for which it looked at their answers
  uint64_t unread = 0;                         // partitions whose channel holds answers that have not been accepted
  SortedHeads heads;                           // by partition: its first answer that has not been accepted, by arrival
  std::vector<std::vector<uint16_t>> awaited;  // by SM in the TPC and tag: answers to come; only the last is delivered
  Ring<Response> delivered{64};                // accepted by the port; cycle: at the SM
  uint64_t outstanding = 0;
  const uint64_t* step;
  Cycle wakes_partition = kNever;  // first arrival of what was sent in this step
  Cycle settled = 0;               // cycles before this are done
  Cycle next_pick = 0;             // the port does nothing before this
  Cycle begin = 0, end = 0;        // of the step
  uint64_t credit_cycle = 0;       // core cycle from which credits that came back with the step count
  uint64_t finished = 0;           // the last step that is
  StepResult result;               // of that
};

}  // namespace warptime::sim
