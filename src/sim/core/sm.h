// The timing of one streaming multiprocessor: sub-cores, each with a warp scheduler that issues its warps' instructions
// in order, a scoreboard, pipes, and outstanding loads and stores.
//
// It advances from issue to issue and skips all cycles without an event. The end of each wait is known in advance
// (results of arithmetic, busy pipes) or is an answer of the memory system. Every issue slot is charged once: to
// `issued` or, when the gap before an issue ends, to the last reason for which the issuing warp waited. The Policy
// decides whether this is compiled in.
//
// The life of an instruction is Sm::step in sm_life.h. sm_effects.h has the effects of instructions other than
// arithmetic, sm_memory.h memory accesses and their answers, sm_attribution.h the charging of cycles.
//
// Left out: register-bank conflicts (no public figure for G80).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sim/core/access_cost.h"
#include "sim/core/cluster_link.h"
#include "sim/core/instruction_fetch.h"
#include "sim/core/kernel_on_sm.h"
#include "sim/core/load_store_timing.h"
#include "sim/core/pipes.h"
#include "sim/core/ready_set.h"
#include "sim/core/scoreboard.h"
#include "sim/core/sm_counters.h"
#include "sim/core/sm_policy.h"
#include "sim/core/sub_core.h"
#include "sim/core/warp_table.h"
#include "sim/state/async_operations.h"
#include "sim/state/runtime_calls.h"
#include "sim/state/sm_state.h"
#include "sim/state/spin_watch.h"

namespace warptime::sim {

/// A block that ended, for the block scheduler.
struct BlockEnd {
  Cycle cycle = 0;
  uint16_t sm = 0;
  uint16_t slot = 0;  // block slot of the SM

  template <class Archive>
  void serialize(Archive& archive) {
    archive(cycle);
    archive.index(sm, archive.limits.sms);
    archive.index(slot, archive.limits.blocks);
  }
};

template <class Policy>
class Sm {
 public:
  using Observer = typename Policy::Observer;

  Sm(const MachineConfig& machine, const DeviceMemory& device_memory, uint32_t sm, uint32_t sm_in_tpc,
     TpcMemory& memory, TpcCaches& caches);

  /// A new step: the memory system may have free entries again.
  void begin_step(Cycle begin);
  /// Makes room for the blocks of a launch, unless there is.
  void admit(const LaunchContext& launch);
  /// When all blocks of the launch had exited, and all its stores were acknowledged; nullopt: they have not yet.
  std::optional<Cycle> done(uint32_t launch) const {
    const KernelOnSm& kernel = *kernels_[launch];
    if (kernel.warps != 0 || kernel.outstanding_stores != 0) return std::nullopt;
    return std::max(kernel.active_to, kernel.answered == 0 ? 0 : kernel.answered + 1);
  }
  /// Gives up the room of a launch that is done.
  void dismiss(uint32_t launch) {
    kernels_[launch].reset();
    state_.dismiss(launch);
    load_store_.forget();
  }
  /// Puts a block of an admitted launch there; its first instructions may issue at `start`.
  void start_block(uint64_t block, const SmState::Room& room, Cycle start);
  /// Issues all instructions that can issue before `limit`, up to the first that needs a resource shared by the SMs of
  /// the TPC at `shared_access_limit` or later. Returns the earliest cycle at which the next one might issue (kNever:
  /// only an answer of the memory system or a new block can wake the SM).
  [[gnu::flatten]] Cycle run(Cycle limit, Cycle shared_access_limit);
  // Clusters whose blocks are on several SMs (LaunchContext::clusters_apart); nullptr: there are none.
  ClusterLink* cluster_link() { return cluster_.get(); }
  /// Before its block starts in the slot: where the others of its cluster are.
  void seat(uint32_t block_slot, const ClusterSeat& seat);
  void receive(ClusterMessage& message);
  /// At the end of a step, before blocks that have ended are cleared.
  void end_cluster_step();
  /// The last result of run(), lowered by later events.
  Cycle next() const { return next_; }
  void respond(const Response& response);
  /// A line has come into the L1 data cache: it has an MSHR more, and perhaps lines to write back.
  void l1_filled(Cycle cycle);
  void write_back_local(Cycle now);
  /// A line for which this waiter waits (TpcCaches::read()) has arrived, perhaps from a partition's cache.
  void filled(uint32_t waiter, Cycle cycle, bool from_cache);

  /// Unanswered calls of malloc and free, in the order of their issue; null: the kernel makes no calls of the runtime.
  RuntimeCalls* runtime_calls() { return runtime_calls_.get(); }
  /// Between steps: answers one of them; its warp continues at `ready`. False: a fault.
  bool answer(const HeapRequest& request, DeviceHeap& heap, Cycle ready);

  /// At the end of the launch: charges the time since the last issue, of a run of one launch.
  void finish(Cycle end);
  /// First cycle at which no instruction occupies a sub-core.
  Cycle sub_cores_free() const {
    Cycle free = 0;
    for (const SubCore& sub_core : sub_cores_) free = std::max(free, sub_core.free());
    return free;
  }

  const SmState& state() const { return state_; }
  const LoadStoreTiming& accesses() const { return under_way_; }
  const LoadStore& load_store() const { return load_store_; }
  const WarpTable& warps() const { return warps_; }
  const Scoreboard& scoreboard() const { return scoreboard_; }
  const Pipes& pipes() const { return pipes_; }
  const std::vector<SubCore>& sub_cores() const { return sub_cores_; }
  /// Whether it has had blocks of the launch, or room for them.
  bool has(uint32_t launch) const { return launch < kernels_.size() && kernels_[launch] != nullptr; }
  /// What the launch has counted up to now.
  SmCounters counters(uint32_t launch = 0) const { return with_resident(*kernels_[launch]); }
  /// The launch's entries in the table of loads.
  QueueUse load_table(uint32_t launch) const { return has(launch) ? kernels_[launch]->load_table : QueueUse{}; }
  /// All entries but those of launches that have been dismissed.
  QueueUse load_table() const {
    QueueUse out = under_way_.load_table();
    for (uint32_t launch = 0; launch < kernels_.size(); ++launch) out.add(load_table(launch));
    return out;
  }
  /// Counters at the end of the launch, when counting has ended.
  SmCounters take_counters(uint32_t launch = 0) { return std::move(kernels_[launch]->counters).completed(); }
  const FaultRecord& fault() const { return fault_; }
  SpinWatch& watch() { return watch_; }
  const std::vector<BlockEnd>& ended_blocks() const { return ended_; }
  void clear_ended_blocks() { ended_.clear(); }
  /// When another launch begins, at the edge `now`: charges each sub-core's open gap, which began before it.
  void charge_open_gaps(Cycle now);
  /// At the edge of a step: all cycles before `end` are charged, also those of waits that have not ended. `more`:
  /// blocks are still to come.
  SmCounters counters_at(Cycle end, bool more, uint32_t launch = 0) const;
  /// The observer receives the waits of resident warps up to `end`, at which the launch is cut short.
  void observe_until(Cycle end) {
    for (uint64_t rest = warps_.resident(); rest != 0; rest &= rest - 1) {
      auto slot = static_cast<uint32_t>(std::countr_zero(rest));
      observe_wait(sub_core_of(slot), slot, next_insn(slot).native, end);
    }
  }
  /// The reason for which a resident warp does not issue, for the report of a deadlock.
  Stall waiting_for(uint32_t slot) const { return warps_[slot].wait.reason(); }
  Observer& observer() { return observer_; }

 private:
  /// An issuing instruction, for the effects that are separate functions.
  struct Issue {
    SubCore& sub_core;
    uint32_t slot;
    Warp& warp;
    const NativeInsn& insn;
    const Insn& value;
    uint32_t pc;      // of the instruction
    uint32_t active;  // active lanes
    uint32_t lanes;   // of these, those whose guard is true
    Cycle now;
  };
  // Returned by select() instead of a slot: no warp can issue yet; the warp needs a shared resource beyond the limit.
  static constexpr uint32_t kNobody = ~uint32_t{0}, kBeyondLimit = kNobody - 1;

  const CodeEntry& next_insn(uint32_t slot) const {
    const Warp& warp = state_.warp(slot);
    return warp.code[warp.stack.pc()];
  }
  KernelOnSm& kernel_of(uint32_t slot) { return *warps_[slot].kernel; }
  SmCounters& counters_of(uint32_t slot) { return warps_[slot].kernel->counters; }
  const NativeDetail& detail(uint32_t slot, const NativeInsn& insn) const {
    return warps_[slot].kernel->program->detail(insn);
  }
  SubCore& sub_core_of(uint32_t slot) { return sub_cores_[warps_[slot].sub_core]; }
  SubCore& first_sub_core();
  void wake(SubCore& sub_core, Cycle cycle) {
    sub_core.wake(cycle);
    next_ = std::min(next_, sub_core.next());
  }
  void wake_all(Cycle cycle) {
    for (SubCore& sub_core : sub_cores_) wake(sub_core, cycle);
  }

  // The life of an instruction (sm_life.h). The compiler inlines all of it into one function: calls would cost a third
  // of its time.
  [[gnu::always_inline]] inline bool step(SubCore& sub_core, Cycle now);
  [[gnu::always_inline]] inline uint32_t select(SubCore& sub_core, Cycle now, const CodeEntry** selected);
  [[gnu::always_inline]] inline void issue(SubCore& sub_core, uint32_t slot, Warp& warp, const CodeEntry& value,
                                           Cycle now, bool is_second = false);
  [[gnu::always_inline]] inline void computed(SubCore& sub_core, uint32_t slot, const NativeInsn& insn, uint32_t pc,
                                              Cycle now);
  [[gnu::always_inline]] inline Wait retire(const SubCore& sub_core, uint32_t slot, const NativeInsn& insn, uint32_t pc,
                                            uint32_t active, uint32_t lanes, Cycle now);
  Wait retire(const Issue& i) {
    i.warp.forget(i.value);
    return retire(i.sub_core, i.slot, i.insn, i.pc, i.active, i.lanes, i.now);
  }
  [[gnu::always_inline]] inline void prepare(uint32_t slot, const Warp& warp, Wait earliest);
  [[gnu::noinline]] void prepare(uint32_t slot, Wait earliest) { prepare(slot, state_.warp(slot), earliest); }
  void prepare_all(uint64_t slots, Wait earliest);
  [[gnu::noinline]] void issue_second(SubCore& sub_core, uint32_t slot, Cycle now);
  [[gnu::noinline]] uint64_t fetch(uint64_t slots, Cycle now);

  // Effects (sm_effects.h).
  [[gnu::noinline, gnu::flatten]] void execute_other(SubCore& sub_core, uint32_t slot, Warp& warp, uint32_t lanes,
                                                     Cycle now);
  Wait hold_and_retire(const Issue& issue);
  void go_to_next(const Issue& issue, Wait earliest);
  void in_part(const Issue& issue);
  void await_warp(const Issue& issue, Wait next);
  [[gnu::noinline]] Wait arrives(Wait at);
  void control(const Issue& issue, ptx::Effect effect, Wait next);
  static void end_of_activity(KernelOnSm& kernel, const WarpTable& warps);
  void exited(const Issue& issue, SmState::Exited exited, Cycle end);

  // Asynchronous copies and mbarrier objects (sm_async.h). Functions of their own: in line they cost all instructions.
  [[gnu::noinline]] void copy(const Issue& issue);
  [[gnu::noinline]] void bulk_copy(const Issue& issue);
  [[gnu::noinline]] void copy_by_engine(const Issue& issue);
  uint32_t begin_bulk(const Issue& issue, uint32_t lane, const LoadStore::BulkRange& range);
  Cycle in_shared(const Issue& issue, uint32_t id);
  template <class Send>
  void send_bulk(const Issue& issue, const LoadStore::BulkRange& range, uint32_t id, const Send& send);
  [[gnu::noinline]] void async(const Issue& issue);
  void arrives_in_cluster(const Issue& issue);
  [[gnu::noinline]] bool waits_for_async(uint32_t slot, Cycle now);
  [[gnu::noinline]] void product_begins(const Issue& issue);
  bool waits_for_products(uint32_t slot, Cycle now);
  bool suspend_async(uint32_t slot, WarpStatus status, Cycle until);
  [[gnu::noinline]] void wake_async(Cycle cycle);

  // What SMs of a cluster send each other (sm_cluster.h).
  [[gnu::noinline]] void access_others(const Issue& issue);
  [[gnu::noinline]] std::optional<uint32_t> use_objects_of_others(const Issue& issue);
  [[gnu::noinline]] uint32_t begin_bulk_apart(const Issue& issue, uint32_t lane, const LoadStore::BulkRange& range);
  [[gnu::noinline]] bool releases_stores(uint32_t slot, const Insn& insn, uint32_t lanes);
  [[gnu::noinline]] void tell_cluster(uint32_t block_slot, Cycle at);
  void tell_cluster(uint32_t block_slot, uint32_t phases, Cycle at);
  void address(ClusterMessage& message, uint32_t block_slot, uint32_t rank);
  void address(ClusterMessage& message, const Issue& issue, uint32_t lanes, uint32_t rank);
  void no_such_block(const ClusterMessage& message);
  void answer(ClusterMessage& message, const Insn& insn);
  void get_answer(const ClusterMessage& message);

  // Accesses to memory, and answers (sm_memory.h).
  [[gnu::always_inline]] inline bool load_cached(SubCore& sub_core, uint32_t slot, Warp& warp, const NativeInsn& insn,
                                                 const Insn& value, Cycle now);
  void access(const Issue& issue);
  void operand_read(const Issue& issue);
  void texture(const Issue& issue);
  void access_fault(const Issue& issue);
  Wait read_lines(ReadKind kind, const Issue& issue, uint32_t latency, Stall reason);
  [[gnu::noinline]] bool waits_for_line(SubCore& sub_core, uint32_t slot, const NativeInsn& native, Cycle now);
  [[gnu::noinline]] Wait read_uniform(const Issue& issue, uint32_t latency);
  [[gnu::noinline]] void note_atomic(const NativeDetail& detail);
  [[gnu::noinline]] bool waits_for_atomic(uint32_t slot);
  void answered(uint32_t load, Cycle cycle, bool from_cache = false);
  void acknowledged(uint32_t tag, Cycle cycle);
  void atomic_done(const Response& response);
  void wake_at(uint32_t slot, Wait wait);

  // Where cycles are charged (sm_attribution.h).
  [[gnu::always_inline]] inline void hold(SubCore& sub_core, uint32_t slot, const NativeInsn& insn, uint32_t pc,
                                          Cycle now, uint32_t issue_cycles, uint32_t pipe_cycles);
  void hold_part(SubCore& sub_core, uint32_t slot, const NativeInsn& insn, uint32_t pc, Cycle now,
                 uint32_t issue_cycles, uint32_t pipe_cycles);
  [[gnu::noinline]] IssueCost part_of(uint32_t slot, const NativeInsn& insn, IssueCost cost);
  [[gnu::always_inline]] inline void charge_gap(const SubCore& sub_core, uint32_t slot, const NativeInsn& insn,
                                                uint32_t pc, Cycle now);
  [[gnu::noinline]] void charge_queue(uint32_t slot, Cycle gap);
  bool had_warps_at(const SubCore& sub_core, Cycle cycle) const;
  Stall busy_reason(ptx::Unit unit) const;
  SmCounters with_resident(const KernelOnSm& kernel) const;
  uint32_t first_to_issue(uint64_t warps) const;
  Stall reason_of_gap(const SubCore& sub_core, uint32_t slot) const;
  void charge_until(Cycle end, bool more, const SubCore& sub_core, const KernelOnSm& kernel, SmCounters& out) const;
  void charge_until(Cycle end, uint32_t slot, WarpCycles& out) const;
  bool has_faulted(uint32_t slot) const;
  void observe_wait(const SubCore& sub_core, uint32_t slot, const NativeInsn& insn, Cycle now);
  void observe_queue(Cycle now);
  void observe_issue(uint32_t slot, uint32_t pc, uint32_t active, uint32_t lanes, Cycle now);
  void observe_access(uint32_t slot, const Warp& warp, const Insn& value, uint32_t pc, uint32_t lanes, Cycle now);

  /// The instruction's results may be used after `wait`.
  void set_results(uint32_t slot, const NativeInsn& insn, Wait wait) {
    scoreboard_.set_results(slot, *warps_[slot].kernel->program, insn, wait);
  }

  const MachineConfig& machine_;
  SmState state_;
  LoadStore load_store_;
  std::vector<std::unique_ptr<KernelOnSm>> kernels_;  // by LaunchContext::number; nullptr: no room
  SpinWatch watch_;
  FaultRecord fault_;
  std::vector<BlockEnd> ended_;

  Scoreboard scoreboard_;
  ReadySet ready_;
  Pipes pipes_;
  std::vector<SubCore> sub_cores_;
  bool is_single_, is_dual_;       // one sub-core; dual issue
  Cycle next_ = kNever;            // minimum over the sub-cores
  Cycle step_begin_ = 0;           // of the step that runs
  Cycle shared_access_limit_ = 0;  // until then this SM may use resources shared by the SMs of the TPC
  WarpTable warps_;
  InstructionFetch fetch_;
  AccessCost cost_;
  LoadStoreTiming under_way_;
  MemoryAccess access_;  // of the issuing instruction
  std::unique_ptr<RuntimeCalls> runtime_calls_;
  std::unique_ptr<ClusterLink> cluster_;
  std::array<Cycle, ReadySet::kMaxWarps>
      gives_up_{};  // by slot: when a warp at an mbarrier waits no longer; 0: it is at none
  /// Whether the sub-core has the line of the uniform constant that a warp's next instruction loads.
  enum class UniformRead : uint8_t { None, Requested, There };
  std::array<UniformRead, ReadySet::kMaxWarps> uniform_reads_{};  // by slot
  Cycle barriers_free_ = 0;                                       // no arrival at a barrier is taken before
  [[no_unique_address]] Observer observer_;

 public:
  /// Saves or restores what changes, of a run of one launch (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive(state_, load_store_);
    for (auto& kernel : kernels_) archive(*kernel);
    archive(watch_, ended_, scoreboard_, ready_, pipes_, next_, step_begin_, shared_access_limit_, warps_, fetch_,
            cost_, under_way_, gives_up_, uniform_reads_, barriers_free_);
    if constexpr (Archive::kRestores) warps_.all_of(*kernels_.front());
    archive.table(sub_cores_);
    if (runtime_calls_ != nullptr) archive(*runtime_calls_);
    if (cluster_ != nullptr) archive(*cluster_);
  }
};

extern template class Sm<Attributed>;
extern template class Sm<Unattributed>;
extern template class Sm<Traced>;
extern template class Sm<Counted>;
extern template class Sm<Probed>;

}  // namespace warptime::sim
