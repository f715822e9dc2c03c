// One memory partition: the input port of the crossbar, caches on machines that have them (partition_caches.h), a
// queue, the DRAM and its scheduler, the output port of the crossbar. It advances from event to event (arrival of a
// request, answer of a cache, DRAM command); its behaviour depends only on arrival times, not on the division of time
// into steps.
//
// partition.cc: ports, queues, the order of events. partition_lookup.cc: requests that look up caches or other
// requests. partition_stores.cc: stores and atomic operations. open_row_plans.cc: reads that bypass these.
#pragma once

#include <array>
#include <bit>
#include <memory>
#include <vector>

#include "base/ring.h"
#include "sim/mem/arrival.h"
#include "sim/mem/arrival_order.h"
#include "sim/mem/atomic_words.h"
#include "sim/mem/crossbar.h"
#include "sim/mem/device_memory.h"
#include "sim/mem/dram.h"
#include "sim/mem/launch_shares.h"
#include "sim/mem/merged_requests.h"
#include "sim/mem/partition_caches.h"
#include "sim/mem/slice_ports.h"
#include "sim/mem/sorted_heads.h"
#include "sim/mem/step_result.h"
#include "sim/model/machine.h"
#include "sim/model/statistics.h"

namespace warptime::sim {

/// The two channels between one TPC and one partition.
struct Link {
  RequestChannel requests;
  AnswerChannel answers;
};

/// The channels of one TPC to all partitions, or of one partition to all TPCs.
struct Wiring {
  uint32_t index = 0;                                  // its own
  std::vector<Link*> links;                            // by the other's index
  ChannelSender* own = nullptr;                        // counts of the packets that it sends
  const std::vector<ChannelSender>* others = nullptr;  // those of the other side, by index
  std::vector<RunLaunches>* launches = nullptr;        // of all TPCs

  /// Packets that the other unit sent it in the previous step.
  uint32_t fresh(uint32_t other, uint64_t step) const { return (*others)[other].fresh(index, step); }
};

class Partition {
 public:
  /// `may_plan`: as for Dram.
  Partition(const MachineConfig& machine, DeviceMemory& memory, Wiring wiring, bool may_plan = true);

  /// Runs to shader cycle `end`, as step number `step`.
  void run(Cycle end, uint64_t step);
  /// The last part of run(), for steps in which it is not called.
  void finish_step(uint64_t step);
  uint64_t finished() const { return finished_; }  // the last step that is
  const StepResult& result() const { return result_; }
  /// Writes the stores that are visible from the end of the last run on.
  void apply_stores();
  bool has_stores_to_apply() const { return due(applied_, end_) || due(applied_atomics_, end_); }

  bool idle() const;
  /// Between launches: resets the partition. False: it has had requests, or has found something, and must be
  /// constructed anew.
  bool restart();
  /// Just constructed: the caches and the open rows that the launch before left.
  void find(const ChipContents& contents) {
    had_requests_ = true;
    caches_.find(contents, wiring_.index);
    dram_.find_open(contents.rows(wiring_.index));
  }
  /// At the end of a launch: what the next one finds.
  void leave(ChipContents& contents, Cycle end) const {
    caches_.leave(contents, wiring_.index);
    contents.leave(wiring_.index, dram_.rows_left(clock_.from_shader(end)));
  }
  DramStats statistics(Cycle end) const {
    DramStats out = dram_.statistics(clock_.from_shader(end));
    out.write_bytes += flushed_;
    return out;
  }
  /// No launch runs any more. What the L2 has to write to DRAM is counted with the launch, but not timed.
  uint64_t flush() {
    const uint64_t bytes = caches_.flush();
    flushed_ += bytes;
    return bytes;
  }
  const DataCacheStats& cache_statistics(ReadKind kind) const { return caches_.statistics(kind); }
  PartitionBusy busy(Cycle end) const;
  /// `offset`: of the address that is asked for, if it is in this partition.
  PartitionView view(const MachineConfig& machine, std::optional<Addr> offset) const;
  /// Occupancy by the requests in the partition, up to the last run, or to `end` if it had nothing to do until then.
  QueueUse use(Cycle end) const {
    QueueUse out = use_;
    out.entry_cycles += held_ * std::max(end, end_);
    return out;
  }
  /// Keeps shares of the launches that begin; times in queues are recorded with them.
  void keep_shares();
  void add_times(QueueTimes& times) const {
    if (shares_ == nullptr) return;
    shares_->for_each([&](const PartitionShare& share) {
      times.partition.add_all(share.service);
      times.partition_port.add_all(share.port);
    });
  }
  void add_stages(LatencyStages& stages) const {
    if (shares_ != nullptr) shares_->for_each([&](const PartitionShare& share) { stages.add(share.stages); });
  }
  /// The share of a launch that has ended.
  PartitionShare take_share(uint32_t launch);

 private:
  struct AppliedStore {
    Cycle visible = 0;  // window edge
    PendingStore* store = nullptr;

    template <class Archive>
    void serialize(Archive& archive) {
      archive(visible);
      archive.pointer(store);
      archive.expect(store != nullptr);
    }
  };

  bool has_mshr(const Arrival& arrival) const { return arrival.mshr == kNoMshr || merged_.has(arrival.mshr); }
  static bool due(const Ring<AppliedStore>& applied, Cycle now) {
    return !applied.empty() && applied.front().visible <= now;
  }
  void apply(PendingStore& store);
  /// The store that was answered last becomes visible before others of DRAM or of a cache that were answered earlier.
  [[gnu::noinline]] void last_applied_to_place();
  void write(PendingStore& store);
  Cycle next_event() const;
  void receive(uint64_t step);
  template <bool kShares>
  void accept(Cycle end);
  uint32_t kinds_looked_up(bool reads) const;
  bool needs_lookup(const PartitionRequest& request) const;
  uint64_t next_arrival() const;
  uint64_t next_of_waiting() const;
  void arrive(uint64_t now);
  /// Whether the request can be planned: it needs only DRAM, and all requests before it are served or planned.
  bool plan(const PartitionRequest& request, uint32_t tpc, uint64_t at);
  [[gnu::noinline]] void look_up(Arrival& arrival);
  [[gnu::noinline]] bool merged(Arrival& arrival);
  [[gnu::noinline]] bool cached(Arrival& arrival);
  /// What `f` counts in the caches is also counted for the launch of the request, where shares are kept.
  template <class F>
  void share_caches(const Arrival& of, const F& f) {
    if (shares_ == nullptr || shares_caches_) [[likely]]
      return f();
    const auto kind = static_cast<ReadKind>(caches_.counted_as(of.request.kind));
    const DataCacheStats before = caches_.statistics(kind);
    shares_caches_ = true;
    f();
    shares_caches_ = false;
    DataCacheStats& share = (*shares_)[launch_of(of)].caches[static_cast<size_t>(kind)];
    share.add(caches_.statistics(kind));
    share.subtract(before);
  }
  [[gnu::noinline]] void write_back(const Arrival& cause, Addr offset, uint32_t bytes, uint64_t now,
                                    bool fills = false);
  void enqueue(const Arrival& arrival, uint64_t now);
  void admit(const Arrival& arrival, uint64_t now);
  void serve(const DramServed& served, uint64_t now);
  [[gnu::noinline]] void read_served(const Arrival& arrival, uint64_t data_end, uint64_t now);
  [[gnu::noinline]] void answer_missed(const Arrival& arrival, Cycle ready, uint64_t now);
  [[gnu::noinline]] void answer_merged(uint32_t mshr, Cycle ready, uint64_t now);
  /// The request's data, or the acknowledgement of its store, are available at `ready`.
  void answer(Ring<Answer>& queue, const Arrival& arrival, Cycle ready, uint64_t now);
  /// The request, which passed the port in at memory cycle `at`, is served at `ready`.
  void served(const PartitionRequest& request, uint32_t tpc, uint64_t at, Cycle ready) {
    if (shares_ != nullptr) [[unlikely]]
      share_served(tpc, request.run, at, ready);
  }
  // Shares (launch_shares.h), where they are kept.
  [[gnu::noinline]] void accept_and_share(Cycle end);
  [[gnu::noinline]] void share_served(uint32_t tpc, uint32_t run, uint64_t at, Cycle ready);
  [[gnu::noinline]] void share_sent(Answer answer, Cycle sent);
  /// The request, whose data the L2 had (`hit`) or DRAM has brought, leaves the partition's caches and atomic unit.
  [[gnu::noinline]] void share_stages(const Arrival& arrival, Cycle end, bool hit);
  uint32_t launch_of(uint32_t tpc, uint32_t run) const { return (*wiring_.launches)[tpc][run]; }
  uint32_t launch_of(const Arrival& of) const {
    return of.write_back ? of.request.run : launch_of(of.tpc, of.request.run);
  }
  PartitionShare& share_of(uint32_t tpc, uint32_t run) { return (*shares_)[launch_of(tpc, run)]; }
  void share_dram(uint32_t launch, uint32_t bytes, bool write);
  /// The answer is at the output port at `done`.
  static void push(Ring<Answer>& queue, const PartitionRequest& request, uint32_t tpc, Cycle done) {
    queue.append() = {done, request.run, static_cast<uint16_t>(tpc), static_cast<uint8_t>(request.answer_granules()),
                      request.with_previous};
  }
  [[gnu::noinline]] void perform_atomic(const Arrival& arrival, Cycle ready, uint64_t now, bool hit);
  void send_answers(Cycle end);
  template <class Send>
  void send_in_order(Cycle end, const Send& send_first);
  void send(Ring<Answer>& answers, bool from_cache);

  ClockRatio clock_;
  CrossbarPort in_, out_;
  bool has_masks_;
  Cycle window_, pipeline_, request_latency_, response_latency_, far_cycles_;
  bool merges_;
  Wiring wiring_;
  std::vector<bool> is_far_;    // by TPC: in the other half of the chip
  uint64_t received_ = 0;       // the step for which it has received their requests
  SortedHeads heads_;           // by TPC: its first request that has not been accepted, by arrival
  Ring<Arrival> arriving_{64};  // accepted by the port; those that wait for the scheduler may still be here
  uint64_t lookups_ = 0;        // of these, that need a lookup
  Ring<Arrival> waiting_{16};   // older than all of them
  std::array<Arrival, Dram::kMaxQueue> in_dram_;  // by its slot in the scheduler
  Dram dram_;
  MergedRequests merged_;
  SameAddressTable same_address_;
  PartitionCaches caches_;
  SlicePorts slices_;
  Ring<Answer> from_dram_{64}, from_caches_{64}, from_atomics_{16}, from_misses_{16};  // at the output port, in order
  Ring<AppliedStore> applied_{64}, applied_atomics_{16};  // each in the order in which they become visible
  DeviceMemory& memory_;
  bool has_atomics_;
  uint32_t reads_looked_up_, writes_looked_up_;  // bit a ReadKind
  bool all_looked_up_;  // write-backs of caches and atomic operations are queued after all arrived requests
  Cycle atomic_cycles_;
  AtomicWords words_;
  Cycle atomic_latency_;
  Cycle atomic_unit_free_ = 0;
  Cycle atomic_unit_busy_ = 0;
  uint32_t bytes_per_cycle_;  // of DRAM, at its peak rate
  ArrivalOrder arrived_;      // kept only by machines that have atomics
  Cycle end_ = 0;             // of the last run
  Cycle wakes_tpc_ = kNever;  // first effect of the packets sent in this step
  uint64_t finished_ = 0;
  bool had_requests_ = false;
  uint64_t held_ = 0;     // requests in it
  uint64_t flushed_ = 0;  // bytes, at the end
  /// Each entry is subtracted when it comes and added when it goes; the most at a window's edge, so that it does not
  /// depend on the step.
  QueueUse use_;
  std::unique_ptr<LaunchShares<PartitionShare>> shares_;  // nullptr: none are kept
  bool shares_caches_ = false;                            // within share_caches
  StepResult result_;

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive.limits.queues = archive.limits.tpcs;
    archive(in_, out_, received_, heads_, arriving_, lookups_, waiting_, dram_, merged_, same_address_, caches_,
            slices_, from_dram_, from_caches_, from_atomics_, from_misses_, flushed_, applied_, applied_atomics_,
            words_, atomic_unit_free_, atomic_unit_busy_, arrived_, end_, wakes_tpc_, finished_, had_requests_, held_,
            use_, result_);
    dram_.for_each_slot([&](uint32_t slot) {
      archive(in_dram_[slot]);
      archive.expect(has_mshr(in_dram_[slot]));
    });
    for (const Ring<Arrival>* ring : {&arriving_, &waiting_})
      for (size_t i = 0; i < ring->size(); ++i) archive.expect(has_mshr((*ring)[i]));
    if (shares_ != nullptr) archive(*shares_);
  }
};

}  // namespace warptime::sim
