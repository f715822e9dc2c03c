// The outstanding loads, stores and atomic operations of an SM: the state that the load/store unit of the hardware
// keeps until the memory system and the caches have answered. A load ends, and its registers may be read, when the last
// of its transactions or lines has arrived; a store counts against its warp until it is acknowledged, for fences and
// exits.
//
// It also determines whether the memory pipe can accept another access: the SM's queue to the memory system and the
// table of loads (`memory.max_outstanding_loads`) must have free entries. Reads of the L1 for which it has no MSHR
// (`l1.mshrs`, `l1.mshr_reads`) wait in the pipe, and all accesses behind them.
//
// Left out: values (state/load_store.h), and waking the warps (the SM, which is notified when an access ends).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/ring.h"
#include "base/slot_pool.h"
#include "sim/core/copy_engine.h"
#include "sim/core/pipes.h"
#include "sim/core/scoreboard.h"
#include "sim/core/warp_table.h"
#include "sim/mem/tpc_caches.h"
#include "sim/mem/tpc_memory.h"
#include "sim/state/load_store.h"
#include "sim/state/sm_state.h"

namespace warptime::sim {

class LoadStoreTiming {
 public:
  LoadStoreTiming(const MachineConfig& machine, SmState& state, const WarpTable& warps, uint32_t sm_in_tpc,
                  TpcMemory& memory, TpcCaches& caches, Scoreboard& scoreboard, Pipes& pipes);

  // Free entries for another access.
  /// The last check found free entries and nothing was sent since, so another check is unnecessary.
  bool room_known() const { return room_known_; }
  /// False: no entry is free, and the memory pipe is blocked until one may be.
  bool check_room(Cycle now);
  /// The memory pipe waits for a free entry, not for an earlier access. This remains true until an instruction issues,
  /// so that the gap that ends with it is charged to the queue.
  bool waits_for_room() const { return waits_for_room_; }
  /// Then: what was full when it was last checked.
  QueueFull full() const { return full_; }
  void pipe_taken() { waits_for_room_ = false; }
  /// A new step, in which entries may become free. True: check from `*poll` on.
  bool begin_step(Cycle begin, Cycle* poll);
  /// Transactions in the SM's queue.
  uint32_t queued(Cycle now) const { return memory_->queued(sm_in_tpc_, now); }

  /// In the table of loads (memory.max_outstanding_loads).
  uint32_t loads_in_table() const { return loads_in_table_; }
  /// The most entries of the table of loads (KernelOnSm has the others), and how often it, and the SM's queue, was
  /// found full.
  const QueueUse& load_table() const { return load_table_; }
  uint64_t times_queue_full() const { return times_queue_full_; }

  // Accesses begin. The warp is issuing, so it does not wait for their results yet.
  /// The transactions of an off-chip load, store or atomic operation.
  /// Returns the number of the load that waits for them; PendingAtomic::kNoLoad: a store.
  uint32_t send(uint32_t slot, uint32_t pc, const MemoryAccess& access, Cycle now);
  /// The transactions of a part of a copy, of `bytes`, by the copy engine, which has begun it; returns what send()
  /// does. `at`: when the first leaves.
  uint32_t send_copy(uint32_t slot, uint32_t pc, const MemoryAccess& access, uint32_t bytes, Cycle& at);
  CopyEngine& copy_engine() { return copy_engine_; }
  const CopyEngine& copy_engine() const { return copy_engine_; }
  /// The lines of a load or texture fetch through caches of the TPC. Returns when its result may be used: `latency`
  /// after the last of them has arrived. `load`: its number, until then.
  Wait read_lines(ReadKind kind, uint32_t slot, uint32_t pc, const MemoryAccess& access, uint32_t latency, Stall reason,
                  Cycle now, uint32_t& load);
  /// A load of constants through the cache for uniform ones that the sub-core has: what read_lines() returns.
  Wait read_uniform(uint32_t slot, uint32_t pc, uint32_t sub_core, const MemoryAccess& access, uint32_t latency,
                    Cycle now, uint32_t& load);

  /// Stores to local memory that the L1 has kept since the last call, with the memory system knowing nothing of them.
  template <class F>
  void take_kept_stores(const F& f) {
    for (PendingStore* store : kept_stores_) f(*store);
    kept_stores_.clear();
  }
  bool kept_stores() const { return !kept_stores_.empty(); }
  /// TpcCaches::take_evicted.
  template <class F>
  void take_evicted(const F& f) {
    caches_->take_evicted(f);
  }
  /// A store without bytes and without a warp, for what the L1 replaces.
  void send_write_back(PendingStore& store, uint32_t bytes, uint32_t launch, Cycle now);

  // Loads and atomic operations that other SMs of the cluster answer, not the memory system.
  uint32_t begin_answers(uint32_t slot, uint32_t pc, Cycle now) {
    const uint32_t id = begin(slot, pc, 0, now);
    loads_[id].reason = Stall::SharedDependency;
    return id;
  }
  void expect_answers(uint32_t load, uint32_t answers) { loads_[load].remaining = answers; }
  uint32_t slot_of_load(uint32_t load) const { return loads_[load].slot; }

  // Answers.
  /// The caches identify waiters by number. This bit marks a load; other waiters are warp slots that wait for
  /// instructions.
  static bool is_load(uint32_t waiter) { return (waiter & kLoadWaiter) != 0; }
  static uint32_t load_of(uint32_t waiter) { return waiter & ~kLoadWaiter; }
  struct EndedLoad {
    Wait result;
    uint32_t slot = 0;
    bool ended = false;  // false: more of its transactions are outstanding
  };
  /// One of a load's transactions or lines has arrived; `from_cache`: of its partition.
  EndedLoad answered(uint32_t load, Cycle cycle, bool from_cache = false) {
    PendingLoad& pending = loads_[load];
    pending.ready = std::max(pending.ready, cycle);
    pending.partition_hits += from_cache ? 1 : 0;
    if (--pending.remaining != 0) return {};
    uint32_t slot = pending.slot;
    return {end(load), slot, true};
  }
  /// After an answer: whether a pipe that waited for the table of loads must check again for a free entry.
  bool unblocks_pipe(Cycle cycle) {
    if (!table_full_ || !waits_for_room_ || !waiting_reads_.empty()) return false;
    pipes_.block(ptx::Unit::Memory, cycle);
    return true;
  }
  /// A line has arrived at the L1 at `now`, so that an MSHR is free: reads that wait for one go on. Calls hit(load,
  /// cycle) for each that finds its line there. True: none waits any more, and the pipe must check again.
  template <class Hit>
  bool mshr_freed(Cycle now, const Hit& hit) {
    if (waiting_reads_.empty()) [[likely]]
      return false;
    while (!waiting_reads_.empty()) {
      const L1Read read = waiting_reads_.front();
      if (!caches_->has_room(sm_in_tpc_, read.address, read.granules)) return false;
      waiting_reads_.pop_front();
      const Cycle at = std::max({now, read.cycle, next_read_});
      next_read_ = at + machine_.memory.request_cycles;
      last_sent_ = std::max(last_sent_, at);
      if (const Cycle ready = look_up_l1(read, at); ready != kNever) hit(read.load, ready);
    }
    return unblocks_pipe(std::max(now, next_read_));
  }
  static constexpr uint32_t kNoSlot = ~uint32_t{0};
  /// The warp slot of the store or atomic operation, from its tag.
  static uint32_t slot_of(uint32_t tag) { return tag & kTagSlot; }
  /// One of a warp's stores or atomic operations is complete. Returns the warp's slot if it was the last one.
  uint32_t acknowledged(uint32_t tag) {
    uint32_t slot = slot_of(tag);
    Warp& warp = state_.warp(slot);
    if (tag != store_tag(slot, warp.generation)) return kNoSlot;  // its warp has exited
    return --warp.outstanding_stores == 0 ? slot : kNoSlot;
  }
  /// The old words of an atomic operation have arrived.
  void write_result(const PendingAtomic& atomic);

 private:
  struct PendingLoad {
    uint32_t pc = 0;  // of its instruction
    uint32_t slot = 0;
    uint32_t remaining = 0;  // outstanding transactions or lines
    Cycle ready = 0;         // latest arrival so far
    uint32_t latency = 0;    // from the last arrival to the result
    Stall reason = Stall::GlobalDependency;
    bool in_table = false;               // counts against memory.max_outstanding_loads
    uint32_t reads = 0;                  // transactions or lines in all
    uint32_t partition_hits = 0;         // of them
    Cycle begun = 0;                     // cycle of its issue
    uint32_t copy = AsyncCopies::kNone;  // that it is, in place of a load of registers
    uint32_t engine_bytes = 0;           // of a part of a copy by the copy engine

    template <class Archive>
    void serialize(Archive& archive) {
      archive.index(pc, archive.limits.code);
      archive.index(slot, archive.limits.warps);
      archive(remaining, ready, latency, reason, in_table, reads, partition_hits, begun, copy, engine_bytes);
    }
  };
  /// A transaction of a load through the L1, which lies within a line.
  struct L1Read {
    uint32_t load = 0, launch = 0;
    Addr address = 0;
    Cycle cycle = 0;        // at which it comes to the L1
    uint32_t granules = 0;  // TpcCaches::read_data

    template <class Archive>
    void serialize(Archive& archive) {
      archive(load, launch, address, cycle, granules);
    }
  };
  static constexpr uint32_t kLoadWaiter = 1u << 31;
  // A store's tag identifies the warp that waits for its acknowledgement: its slot, and its generation within the slot.
  static constexpr uint32_t kTagSlot = 0xff, kTagBits = 8, kNoGeneration = 0xffffff;
  static constexpr uint32_t store_tag(uint32_t slot, uint32_t generation) { return slot | (generation << kTagBits); }

  uint32_t begin(uint32_t slot, uint32_t pc, uint32_t count, Cycle now);
  L1Read l1_read(uint32_t load, uint32_t launch, const Transaction& transaction, Cycle cycle) const;
  void read_l1(const L1Read& read);
  /// From when on the SM has what it reads; kNever: it is fetched.
  Cycle look_up_l1(const L1Read& read, Cycle now);
  /// read(line) for each line of the load: kNever, or from when on it is there.
  template <class Read>
  Wait read_each(uint32_t load, const MemoryAccess& access, const Read& read);
  Cycle read_texel(Addr address, uint32_t load, Cycle now, uint32_t launch);
  Cycle look_up_texture(uint32_t load, Addr address, Cycle now, uint32_t launch);
  /// One transaction of a load was looked up: kNever, or from when on it is there.
  void note_read(uint32_t load, Cycle ready);
  /// A store reaches the L1 on its way to the L2.
  [[gnu::noinline]] void leave_in_turn(Request& request);
  void store_in_l1(const PendingStore& store, const Transaction& transaction, uint32_t launch, Cycle now);
  // Statistics of the load's instruction, where lines are counted.
  SmCounters& counters_of(uint32_t slot) const { return warps_[slot].kernel->counters; }
  void count_line(const PendingLoad& load, Cycle latency);
  void count_hit(uint32_t slot, uint32_t pc);
  /// The load's registers may be used; returns from which cycle on.
  Wait end(uint32_t id) {
    if (loads_[id].engine_bytes != 0) [[unlikely]]
      return end_copy(id);
    const PendingLoad load = loads_[id];
    loads_.give_back(id);
    if (load.in_table) {
      --loads_in_table_;
      QueueUse& table = warps_[load.slot].kernel->load_table;
      ++table.entries;
      table.entry_cycles += load.ready - load.begun;
    }
    const Cycle latency = load.ready + load.latency - load.begun;
    Warp& warp = state_.warp(load.slot);
    const CodeEntry& entry = warp.code[load.pc];
    KernelOnSm& kernel = *warps_[load.slot].kernel;
    if (load.in_table && entry.effect == ptx::Effect::Load) kernel.counters.global_latency.add(latency);
    else if (load.copy != AsyncCopies::kNone) [[unlikely]] state_.async().completes(load.copy, load.ready);
    if (kernel.counters.has_lines()) [[unlikely]]
      count_line(load, latency);
    Wait result = Wait::until(load.ready + load.latency, load.reason);
    if (!load.in_table || !entry.native.by_latency)
      scoreboard_.set_results(load.slot, *kernel.program, entry.native, result);
    --warp.outstanding_loads;
    return result;
  }
  [[gnu::noinline]] Wait end_copy(uint32_t id);

  const MachineConfig& machine_;
  SmState& state_;
  const WarpTable& warps_;
  uint32_t sm_in_tpc_;
  TpcMemory* memory_;
  TpcCaches* caches_;
  Scoreboard& scoreboard_;
  Pipes& pipes_;
  bool has_l1_, has_global_l1_, keeps_local_stores_, reads_only_in_l1_, keeps_stores_;
  bool joins_runs_;  // equal transactions of a load are sent as one run
  bool room_known_ = false;
  bool waits_for_room_ = false;
  bool table_full_ = false;  // the table of loads is full, or reads wait for MSHRs
  QueueFull full_ = QueueFull::MemoryQueue;
  uint32_t loads_in_table_ = 0;
  QueueUse load_table_;
  uint64_t times_queue_full_ = 0;
  uint32_t next_group_ = 0;  // number of the next half-warp request (same_address_merge)
  SlotPool<PendingLoad> loads_;
  std::vector<PendingStore*> kept_stores_;  // empty between two accesses
  Cycle last_sent_ = 0;                     // nothing may be sent for an earlier cycle
  Ring<L1Read> waiting_reads_{64};          // for which it has no MSHR
  Cycle next_read_ = 0;                     // the L1 looks up no other of them before
  CopyEngine copy_engine_;
  /// When the stores that have left let another follow, in parts of a cycle that take a byte (memory.store_bytes).
  uint64_t stores_free_ = 0;

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive(room_known_, waits_for_room_, table_full_, full_, loads_in_table_, load_table_, times_queue_full_,
            next_group_, loads_, last_sent_, waiting_reads_, next_read_, copy_engine_, stores_free_);
    for (size_t i = 0; i < waiting_reads_.size(); ++i) archive.expect(waiting_reads_[i].load < loads_.capacity());
    loads_.for_each_in_use([&](const PendingLoad& load) {
      archive.expect(load.copy == AsyncCopies::kNone || state_.async().has(load.copy));
    });
    archive.limits.loads.resize(archive.limits.sms);
    archive.limits.loads[state_.index()] = loads_.capacity();
  }
};

}  // namespace warptime::sim
