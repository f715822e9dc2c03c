// The state of one SM: its resident blocks, their warps, registers and shared memory. Values and control flow only;
// core/sm.h adds time, gpu/functional_sm.h runs it without time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/model/statistics.h"
#include "sim/state/async_copies.h"
#include "sim/state/async_products.h"
#include "sim/state/call_stacks.h"
#include "sim/state/cluster_seats.h"
#include "sim/state/fault_record.h"
#include "sim/state/resident_kernel.h"
#include "sim/state/warp.h"

namespace warptime::sim {

class SmState {
 public:
  SmState(const MachineConfig& machine, uint32_t sm);
  /// With room for the blocks of a launch.
  SmState(const LaunchContext& launch, uint32_t sm) : SmState(*launch.machine, sm) { admit(launch); }

  /// Makes room for the blocks of another launch, unless there is.
  ResidentKernel& admit(const LaunchContext& launch);
  /// All its blocks have ended: gives up their room.
  void dismiss(uint32_t launch) { kernels_[launch].reset(); }

  uint32_t index() const { return sm_; }
  bool independent_lanes() const { return independent_; }
  /// The first launch: in a run of one launch, the only one.
  const LaunchContext& launch() const { return kernels_.front()->launch(); }
  const LaunchContext& launch_of(uint32_t slot) const { return warps_[slot].kernel->launch(); }
  /// An instruction of the first launch.
  const CodeEntry& insn(uint32_t pc) const { return launch().kernel->insns[pc]; }
  Warp& warp(uint32_t slot) { return warps_[slot]; }
  const Warp& warp(uint32_t slot) const { return warps_[slot]; }
  ResidentBlock& block_of(const Warp& warp) { return blocks_[warp.slot_of_block]; }
  const ResidentBlock& block_of(const Warp& warp) const { return blocks_[warp.slot_of_block]; }
  AsyncCopies& async() { return async_; }
  const AsyncCopies& async() const { return async_; }
  AsyncProducts& products() { return products_; }
  const AsyncProducts& products() const { return products_; }
  uint32_t warp_slots() const { return static_cast<uint32_t>(warps_.size()); }
  /// The first free block slot.
  uint32_t free_slot() const;
  /// Whether so many block slots are free from `first` on.
  bool is_free(uint32_t first, uint32_t count) const;

  /// Where a block goes.
  struct Room {
    uint32_t launch = 0;  // LaunchContext::number
    uint32_t slot = 0;    // block slot of the SM
    uint32_t place = 0;   // among the blocks of the launch on the SM
    uint64_t warps = 0;   // mask of its warp slots: as many as its block has warps, the first one of the lowest
  };
  /// Puts a block there: clears shared memory and the registers that may be read before they are written, and sets
  /// special registers.
  void start_block(uint64_t block, const Room& room);
  /// A block slot of an SM that has one launch, with the warp slots that go with it.
  Room room_of(uint32_t block_slot) const;
  /// Puts a block there. Returns a mask of its warp slots.
  uint64_t start_block(uint64_t block, uint32_t block_slot) {
    const Room room = room_of(block_slot);
    start_block(block, room);
    return room.warps;
  }

  struct Arrival {
    uint64_t released = 0;  // mask of warp slots, including its own if it waited
    uint32_t barrier = 0;
    bool waits = true;  // false: it continues in any case
  };
  /// `lanes` of the warp reach the barrier of the instruction. If these are not all of its staying lanes, this is a
  /// fault with the SIMT stack; with independent scheduling, the lanes wait, and the warp arrives when all lanes have
  /// arrived.
  Arrival arrive(uint32_t slot, uint32_t lanes, const Insn& insn, FaultRecord& fault);

  /// Live lanes, except those that only an exit is left to: with reconvergence by a stack they wait there for the
  /// others of the warp, which do not wait for them.
  uint32_t staying_lanes(const Warp& warp) const;

  struct BarrierUse {
    uint32_t barrier, threads;  // 0: all of the block
    BarrierKind kind;
  };
  /// The instruction's barrier and threads; where registers hold them, those of the first of `lanes`.
  BarrierUse barrier_use(const Warp& warp, uint32_t lanes, const Insn& insn) const;

  /// Sets the special registers of time to this cycle of the shader clock.
  void set_clocks(Warp& warp, uint64_t clock);

  /// Independently scheduled lanes wait for the rest of the warp before an instruction that all execute together.
  /// False: all are there, or will never be.
  bool wait_for_warp(uint32_t slot);
  /// The fault of an instruction of the whole warp that only `lanes` execute.
  void partial_warp(uint32_t slot, uint32_t lanes, FaultRecord& fault) const;
  /// `lanes` of the warp execute a .sync instruction. With independent scheduling they wait for the others of their
  /// member masks; otherwise the converged lanes execute it. A mask without its own lane is a fault.
  void collective(uint32_t slot, const Insn& insn, uint32_t lanes, FaultRecord& fault);

  struct Exited {
    uint64_t released = 0;  // warps of the block that waited only for this one at a barrier
    bool warp_done = false;
    bool block_done = false;
  };
  /// A call, a return from a function, or brx.idx (whose index may be a fault) of these lanes.
  void jump(uint32_t slot, const Insn& insn, uint32_t lanes, DivergenceStats& divergence, FaultRecord& fault);

  /// `lanes` of the warp exit. A fault can come from a barrier at which the other lanes wait.
  Exited exit(uint32_t slot, uint32_t lanes, FaultRecord& fault);

  /// Calls f(bytes, count) for all parts of a warp's state, besides memory, that determine its next instructions, until
  /// f returns false; returns whether all returned true. `control` is a buffer for its control flow.
  template <class F>
  bool for_each_part(uint32_t slot, std::vector<uint32_t>& control, const F& f) const {
    const Warp& warp = warps_[slot];
    control.clear();
    control.insert(control.end(), {warp.generation, warp.barrier});
    warp.stack.append_state(control);
    if (!stacks_.empty()) stacks_[slot].append_state(control);
    return f(control.data(), control.size() * sizeof(uint32_t)) &&
           f(warp.values.predicates, warp.kernel->kernel().predicates * sizeof(uint32_t)) &&
           f(warp.values.rows(), size_t{warp.kernel->kernel().rows} * kRowBytes);
  }

  // The barrier of the cluster.
  void arrive_in_cluster(uint32_t slot, uint32_t lanes) { cluster_arrived_[slot] |= lanes; }
  /// Whether lanes that have arrived there may go on: all live threads of the cluster have arrived.
  bool may_leave_cluster(uint32_t slot, uint32_t lanes);
  // Where the blocks of a cluster are on several SMs (cluster_seats.h):
  /// Where those of the cluster of a block are, which is to start in the slot.
  void seat(uint32_t block_slot, const ClusterSeat& seat);
  ClusterSeat& seat_of(uint32_t block_slot) { return seats_[block_slot]; }
  /// All live threads of the block have arrived, which is news.
  bool block_arrives_in_cluster(uint32_t block_slot);
  /// A block of the cluster has arrived in so many phases of the barrier. True: those who wait may go on.
  bool hears_of_arrival(uint32_t block_slot, uint32_t rank, uint32_t phases);
  /// The slot of a resident block of a launch, by its index in the grid; kNoBlock: it has ended.
  uint32_t slot_of_block(uint32_t launch, uint64_t index) const;
  /// The slot of the block that has a place among those of a launch on the SM.
  uint32_t slot_of_place(const ResidentKernel& kernel, uint32_t place) const;
  /// The slot of a block of the warp's cluster, by its number there; kNoBlock: it is not there any more.
  static constexpr uint32_t kNoBlock = ~uint32_t{0};
  uint32_t slot_in_cluster(const Warp& warp, uint32_t rank) const;
  const ResidentBlock& block(uint32_t slot) const { return blocks_[slot]; }
  /// Calls f(slot of a block) for those to which a bulk copy of the warp goes (LoadStore::BulkRange).
  template <class F>
  void for_bulk_targets(const Warp& warp, uint32_t block, uint32_t blocks, const F& f) const {
    if (block == 0 && blocks == 0) return f(warp.slot_of_block);
    for (uint32_t rest = blocks == 0 ? 1u << (block - 1) : blocks; rest != 0; rest &= rest - 1)
      if (const uint32_t slot = slot_in_cluster(warp, static_cast<uint32_t>(std::countr_zero(rest))); slot != kNoBlock)
        f(slot);
  }

  /// All lanes of a warp execute an instruction of products of a warpgroup (wgmma).
  void product(uint32_t slot, const Insn& insn, FaultRecord& fault);

  /// Fills in block, thread (the first lane of `lanes`) and PTX instruction of a fault.
  void locate(FaultRecord& fault, uint32_t slot, uint32_t lanes) const;

 private:
  const Callee* callee(const Warp& warp, const Insn& insn, uint32_t& lanes, uint64_t& address) const;
  void call(uint32_t slot, const Insn& insn, uint32_t lanes, FaultRecord& fault);
  void ret(uint32_t slot, const Insn& insn, uint32_t lanes);
  void indexed_branch(uint32_t slot, const Insn& insn, uint32_t lanes, DivergenceStats& divergence, FaultRecord& fault);
  void run_members(Warp& warp);
  uint64_t arrive_waiting(uint32_t slot, FaultRecord& fault);
  bool count_in(uint32_t slot, uint32_t lanes, const BarrierUse& use, FaultRecord& fault);
  bool barrier_fault(uint32_t slot, uint32_t lanes, const BarrierUse& use, Fault::Kind kind, FaultRecord& fault) const;
  void vote(Barrier& barrier, const Warp& warp, uint32_t lanes, const Insn& insn);
  bool complete(const ResidentBlock& block, const Barrier& barrier) const;
  uint64_t release_if_complete(ResidentBlock& block, uint32_t number);
  uint64_t release_completed(ResidentBlock& block);
  void point(Warp& warp) const;

  uint32_t sm_;
  bool independent_;  // lanes are scheduled independently
  std::vector<Warp> warps_;
  std::vector<ResidentBlock> blocks_;
  std::vector<uint32_t> cluster_arrived_;  // by warp slot: lanes that wait at the barrier of the cluster, or may do so
  std::vector<ClusterSeat> seats_;         // by block slot; empty: no cluster has its blocks on several SMs
  std::vector<std::unique_ptr<ResidentKernel>> kernels_;  // by LaunchContext::number; nullptr: no room
  std::vector<CallStacks> stacks_;                        // by warp slot; empty without recursion
  AsyncCopies async_;
  AsyncProducts products_;
  std::vector<std::byte> passed_;  // values passed to or from a recursive function

 public:
  /// Saves or restores what changes, of a run of one launch (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive.limits.warps = warps_.size();
    for (auto& kernel : kernels_) archive(*kernel);
    archive.table(warps_);
    archive.table(blocks_);
    archive.table(cluster_arrived_);
    archive.table(seats_);
    archive.table(stacks_);
    archive.limits.shared = launch().shared_bytes;
    archive(async_);
    products_.serialize(archive, launch().kernel->rows * kRowBytes);
    if constexpr (Archive::kRestores) point_all(archive);
  }

 private:
  /// The pointers of what was restored.
  template <class Archive>
  void point_all(Archive& archive) {
    for (ResidentBlock& block : blocks_) {
      archive.expect(!block.resident || block.place < launch().blocks_per_sm);
      block.kernel = kernels_.front().get();
    }
    for (Warp& warp : warps_) {
      if (!warp.resident) continue;
      archive.expect(warp.slot_of_block < blocks_.size() && warp.index_in_block < launch().warps_per_block);
      point(warp);
    }
  }
};

}  // namespace warptime::sim
