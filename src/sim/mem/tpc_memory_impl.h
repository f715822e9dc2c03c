// The parts of a TpcMemory: a queue for each SM, one for the caches, one for each copy engine, credits for each
// partition, the output and input ports of the crossbar.
//
// The head of an SM's queue waits for a credit of its partition; the port takes the heads with credits in (ready cycle,
// SM) order, one packet at a time (next_to_leave chooses). A packet takes a credit when it enters the port; the credit
// returns at the first window edge after its answer has left the partition. The state is not updated every cycle: the
// port's next packet follows from the queues, so the state is advanced only when a caller needs it.
//
// Where the machine has a TLB, a transaction is ready when its address is translated.
//
// tpc_memory.cc: steps, answers, credits. tpc_port_out.cc: queues and the port out.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <vector>

#include "base/ring.h"
#include "sim/mem/chip_contents.h"
#include "sim/mem/crossbar.h"
#include "sim/mem/partition.h"
#include "sim/mem/request_run.h"
#include "sim/mem/sorted_heads.h"
#include "sim/mem/tlb.h"
#include "sim/mem/tpc_memory.h"
#include "sim/model/partition_map.h"

namespace warptime::sim {

struct TpcMemory::Impl {
  /// `step`: number of the step that is run; between steps, of the next.
  Impl(const MachineConfig& machine, Wiring wiring, const uint64_t* step, const ChipContents& contents);

  void begin_step(Cycle begin, Cycle end);
  void finish_step();
  /// Advances the port to `now`.
  void settle(Cycle now);
  bool has_room(uint32_t sm_in_tpc, uint32_t transactions, Cycle now);
  Cycle next_room(uint32_t sm_in_tpc, Cycle now) const;
  void send(uint32_t sm_in_tpc, const Request& request, uint32_t count, uint32_t spacing);
  Cycle next_event();
  bool idle() const { return outstanding == 0; }

  struct FromPartition {
    Link* link = nullptr;
    uint32_t credits = 0;
    uint64_t credited = 0;    // answers at the front of the channel whose credit has returned
    uint32_t far_cycles = 0;  // that a packet takes besides, in each direction

    template <class Archive>
    void serialize(Archive& archive) {
      archive(credits, credited);
    }
  };
  /// The queue of an SM, or of the caches.
  struct SmQueue {
    RequestRun head;              // the first
    uint64_t edge = 0;            // core cycle from which it may leave the SM
    FromPartition* to = nullptr;  // where it goes
    bool blocked = false;         // it waits for a credit
    uint32_t size = 0;            // transactions in the queue
    uint32_t most = 0;            // that it has held
    uint64_t sent = 0;            // transactions in all
    uint64_t until_left = 0;      // cycles from ready to past the port, summed over those that have left
    Ring<RequestRun> behind{16};  // the head
    uint32_t requested = 1;       // transactions, in the last call of has_room
    uint32_t group = ~0u;         // of the last read, and
    Addr word = 0, address = 0;

    template <class Archive>
    void serialize(Archive& archive) {
      archive(edge, blocked, size, most, sent, until_left, behind, requested, group, word, address);
      archive.pointer(to);
      if (!empty()) archive(head);
      archive.expect(empty() || to != nullptr);
    }
    bool empty() const { return size == 0; }
    /// Whether a read is for the same word of the same half-warp as the previous one.
    bool repeats(const Request& request) {
      bool plain = request.store == nullptr && request.kind == ReadKind::Plain;
      bool same = plain && request.group == group && request.word == word && request.address == address;
      group = plain ? request.group : ~0u;
      word = request.word;
      address = request.address;
      return same;
    }
  };
  void receive();
  void next_head(uint32_t queue);
  void begin_head(uint32_t queue);
  void take(uint32_t queue, uint64_t core_cycle);
  [[gnu::noinline]] Cycle translate(const Request& request, uint32_t count);
  [[gnu::noinline]] void share_left(uint32_t queue, Cycle waited);
  [[gnu::noinline]] void share_accepted(Answer answer, Cycle waited, Cycle far);
  void accept_answers(Cycle end);
  void accept(FromPartition& from);
  /// The queue's first run, or its partition's credits, have changed.
  void update_key(uint32_t number) {
    SmQueue& queue = queues[number];
    queue.blocked = !queue.empty() && queue.to->credits == 0;
    keys[number] = queue.empty() || queue.blocked ? kNever : queue_key(queue.head.ready, number);
  }
  /// Key of the queue whose head the port takes next, if credits do not change; kNever: none can leave.
  uint64_t next_to_leave() const {
    const uint64_t* key = keys.data();
    uint64_t next = std::min(std::min(key[0], key[1]), std::min(key[2], key[3]));
    static_assert(kFew == 4);
    for (uint32_t queue = kFew; queue < queue_count; ++queue) next = std::min(next, key[queue]);
    return next;
  }
  /// Window edge at which the credit of this answer returns.
  Cycle credit_edge(const FromPartition& from, const Answer& answer) const {
    return edge_after(answer.cycle - response_latency - from.far_cycles, window);
  }

  /// Calls f(partition) for those whose answers have not all been accepted.
  template <class F>
  void for_each_unread(const F& f) {
    for (size_t word = 0; word < unread.size(); ++word)
      for (uint64_t rest = unread[word]; rest != 0; rest &= rest - 1)
        f(partitions[word * 64 + static_cast<size_t>(std::countr_zero(rest))]);
  }

  const ChipContents& contents;
  PartitionMap map;
  Tlb tlb;
  bool merges;
  CrossbarPort out, in;
  bool has_masks;
  Cycle window, request_latency, response_latency;
  uint32_t queue_entries;
  uint32_t sms;                 // of the TPC
  uint32_t queue_count;         // queues that have been used: those of copy engines from the first copy on
  std::vector<SmQueue> queues;  // by SM in the TPC; then lines of all caches; then by SM, those of the copy engines
  /// By queue: cycle when its first is ready, and its own number; kNever: it has none, or is blocked. At least kFew.
  std::vector<uint64_t> keys;
  static constexpr uint32_t kQueueBits = 8, kQueueMask = (1u << kQueueBits) - 1, kFew = 4;
  static uint64_t queue_key(Cycle ready, uint32_t queue) { return ready << kQueueBits | queue; }
  std::unique_ptr<LaunchShares<TpcShare>> shares;  // nullptr: none are kept
  TpcShare& share_of(uint32_t run) { return (*shares)[(*wiring.launches)[wiring.index][run]]; }
  uint64_t times_no_credit = 0;  // the last credit of a partition was taken
  RunAnswers runs;
  Wiring wiring;
  std::vector<FromPartition> partitions;  // by partition
  uint64_t received = 0;                  // the step for which it has received their answers
  std::array<uint64_t, 2> unread{};       // partitions whose channel holds answers that have not been accepted
  SortedHeads heads;                      // by partition: its first answer that has not been accepted, by arrival
  Ring<Response> delivered{64};           // accepted by the port; cycle: at the SM
  uint64_t outstanding = 0;
  const uint64_t* step;
  Cycle wakes_partition = kNever;  // first arrival of the packets sent in this step
  Cycle settled = 0;               // cycles before this are done
  Cycle next_pick = 0;             // the port does nothing before this
  Cycle begin = 0, end = 0;        // of the step
  uint64_t credit_cycle = 0;       // core cycle from which credits that came back with the step count
  uint64_t finished = 0;           // the last step that is
  StepResult result;               // of that

  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive.limits.queues = archive.limits.partitions;
    for (FromPartition& from : partitions) archive.object(from);
    archive.table(partitions);
    archive.table(queues);
    archive.table(keys);
    for (const uint64_t key : keys) archive.expect(key == kNever || (key & kQueueMask) < queues.size());
    if constexpr (Archive::kRestores) queue_count = static_cast<uint32_t>(queues.size());
    archive(tlb, out, in, times_no_credit, runs, received, unread, heads, delivered, outstanding, wakes_partition,
            settled, next_pick, begin, end, credit_cycle, finished, result);
    if (shares != nullptr) archive(*shares);
  }
};

}  // namespace warptime::sim
