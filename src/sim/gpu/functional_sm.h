// One SM without time: in a round each of its warps executes some instructions. Its stores are delayed until all SMs
// have finished the round. With `Observed`, an observer receives its events (launch_observer.h).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/core/sm_counters.h"
#include "sim/gpu/adversary.h"
#include "sim/gpu/launch_observer.h"
#include "sim/gpu/request_recorder.h"
#include "sim/state/async_operations.h"
#include "sim/state/load_store.h"
#include "sim/state/runtime_calls.h"
#include "sim/state/sm_state.h"
#include "sim/state/spin_watch.h"

namespace warptime::sim {

template <bool Observed>
class FunctionalSm {
 public:
  FunctionalSm(const LaunchContext& launch, uint32_t sm, LaunchObserver* observer);

  /// `number`: in the order of launch.
  void start_block(uint64_t block, uint64_t number, uint32_t block_slot);
  /// Counts each block's instructions there, by its number.
  void count_into(uint64_t* block_instructions) { block_instructions_ = block_instructions; }
  /// Records its accesses there from now on.
  void record_into(RequestRecorder* recorder) { recorder_ = recorder; }
  /// Runs in another order from now on.
  void reorder_by(Adversary* adversary) { adversary_ = adversary; }
  bool has_room() const { return free_slot() < state_.launch().blocks_per_sm; }
  /// The first of as many free slots as a cluster has blocks.
  uint32_t free_slot() const;

  /// Runs every resident warp once; fills `ended_blocks()` and the stores.
  void run_round();
  /// Stores and atomic operations of the round, in the order in which they were issued.
  void apply_stores(DeviceMemory& memory);
  /// Performs the round's calls of malloc and free, in the order in which they were issued, up to a fault. False: the
  /// round has none.
  bool answer_heap_requests(DeviceHeap& heap);
  PrintfBuffer& printed() { return runtime_calls_->printed(); }

  bool executed() const { return executed_instructions_ != before_round_; }
  uint32_t ended_blocks() const { return ended_blocks_; }
  const FaultRecord& fault() const { return fault_; }
  SmCounters counters() const { return counters_.completed(); }
  const SmState& state() const { return state_; }
  SpinWatch& watch() { return watch_; }
  uint64_t executed_instructions() const { return executed_instructions_; }

 private:
  void run_round_reordered();
  /// Instructions executed.
  uint32_t run_warp(uint32_t slot, Warp& warp);
  // False: the warp's round has ended.
  bool load_cached(Warp& warp, const Insn& insn, uint32_t lanes);
  bool run_effect(uint32_t slot, Warp& warp, const Insn& insn, uint32_t lanes);
  bool execute(uint32_t slot, Warp& warp, const Insn& insn, uint32_t lanes);
  bool fetch_texture(uint32_t slot, Warp& warp, const Insn& insn, uint32_t lanes);
  bool control(uint32_t slot, Warp& warp, const Insn& insn, uint32_t lanes);
  bool access(uint32_t slot, Warp& warp, const Insn& insn, uint32_t lanes);
  // Asynchronous copies and mbarrier objects (functional_async.cc).
  bool copy(uint32_t slot, Warp& warp, const Insn& insn, uint32_t lanes);
  uint32_t observe_copy(uint32_t slot, Warp& warp, const Insn& insn, uint32_t lanes);
  bool bulk_copy(uint32_t slot, Warp& warp, const Insn& insn, uint32_t lanes);
  bool async(uint32_t slot, Warp& warp, const Insn& insn, uint32_t lanes);
  uint32_t observe_access(uint32_t slot, Warp& warp, const Insn& insn, uint32_t lanes);
  uint32_t observe_part(uint32_t slot, Warp& warp, const Insn& insn, uint32_t lanes);
  void answer_observed(const HeapRequest& request, DeviceHeap& heap);

  struct Write {
    PendingStore* store = nullptr;
    const Insn* insn = nullptr;  // of an atomic operation; nullptr: a store
    uint32_t slot = 0;
  };

  SmState state_;
  LoadStore load_store_;
  SmCounters counters_;
  SpinWatch watch_;
  FaultRecord fault_;
  uint64_t warps_ = 0;  // resident, not done
  uint32_t ended_blocks_ = 0;
  uint64_t before_round_ = 0;           // instructions that had been executed then
  uint64_t executed_instructions_ = 0;  // of all warps: the value of %clock in functional runs
  std::vector<Write> writes_;
  MemoryAccess access_;
  std::vector<uint64_t> number_;  // of the block in each slot
  uint64_t* block_instructions_ = nullptr;
  RequestRecorder* recorder_ = nullptr;
  std::unique_ptr<RuntimeCalls> runtime_calls_;
  LaunchObserver* observer_ = nullptr;  // with Observed
  bool observes_all_ = false;
  Adversary* adversary_ = nullptr;  // with Observed

 public:
  /// Saves or restores what changes, between rounds (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive(state_, load_store_, counters_, watch_);
    archive.mask(warps_, archive.limits.warps);
    archive(ended_blocks_, before_round_, executed_instructions_);
    archive.table(number_);
    if (runtime_calls_ != nullptr) archive(*runtime_calls_);
  }
};

extern template class FunctionalSm<false>;
extern template class FunctionalSm<true>;

}  // namespace warptime::sim
