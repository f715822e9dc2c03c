#include "sim/state/sm_state.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/assert.h"
#include "sim/exec/lanes_of_mask.h"
#include "sim/exec/member_masks.h"
#include "sim/exec/warp_handlers.h"
#include "sim/state/launch_rows.h"

namespace warptime::sim {

SmState::SmState(const MachineConfig& machine, uint32_t sm)
    : sm_(sm),
      independent_(machine.sm.reconvergence == Reconvergence::independent),
      warps_(machine.sm.max_warps),
      blocks_(machine.sm.max_blocks),
      cluster_arrived_(machine.sm.max_warps),
      products_(machine.sm.max_warps) {
  for (Warp& warp : warps_) warp.stack = ControlFlow(machine.sm.reconvergence);
}

ResidentKernel& SmState::admit(const LaunchContext& launch) {
  if (launch.number >= kernels_.size()) kernels_.resize(launch.number + 1);
  std::unique_ptr<ResidentKernel>& kernel = kernels_[launch.number];
  if (kernel == nullptr) kernel = std::make_unique<ResidentKernel>(launch);
  if (!launch.kernel->recursions.empty()) stacks_.resize(warps_.size());
  if (launch.clusters_apart) seats_.resize(blocks_.size());
  return *kernel;
}

uint32_t SmState::free_slot() const {
  auto free = std::find_if(blocks_.begin(), blocks_.end(), [](const ResidentBlock& b) { return !b.resident; });
  return static_cast<uint32_t>(free - blocks_.begin());
}

bool SmState::is_free(uint32_t first, uint32_t count) const {
  return std::none_of(blocks_.begin() + first, blocks_.begin() + first + count,
                      [](const ResidentBlock& block) { return block.resident; });
}

SmState::Room SmState::room_of(uint32_t block_slot) const {
  const uint32_t warps = launch().warps_per_block;
  const uint64_t mask = warps == 64 ? ~uint64_t{0} : (uint64_t{1} << warps) - 1;
  return {launch().number, block_slot, block_slot, mask << (block_slot * warps)};
}

/// Where the values and the memory of a warp of a resident block are.
void SmState::point(Warp& warp) const {
  const ResidentBlock& block = block_of(warp);
  warp.kernel = block.kernel;
  warp.code = block.kernel->kernel().insns.data();
  warp.values = block.kernel->values(block.place, warp.index_in_block);
  warp.shared = block.kernel->shared(block.place);
  warp.local = block.kernel->local(block.place, warp.index_in_block);
}

void SmState::start_block(uint64_t index, const Room& room) {
  ResidentBlock& block = blocks_[room.slot];
  SIM_ASSERT(!block.resident, "SM {} was given a block but its slot {} is taken", sm_, room.slot);
  block.index = index;
  block.kernel = kernels_[room.launch].get();
  block.place = room.place;
  block.resident = true;
  block.warps = room.warps;
  block.barriers.fill({});
  block.kernel->start_block(room.place, index);
  async_.start_block(room.slot);

  const LaunchContext& launch = block.kernel->launch();
  uint32_t i = 0;
  for (uint64_t rest = room.warps; rest != 0; rest &= rest - 1, ++i) {
    const auto slot = static_cast<uint32_t>(std::countr_zero(rest));
    Warp& warp = warps_[slot];
    SIM_ASSERT(!warp.resident, "SM {} was given a block but its warp slot {} is taken", sm_, slot);
    warp.slot_of_block = room.slot;
    warp.index_in_block = i;
    point(warp);
    uint32_t threads = std::min(kWarpSize, launch.threads_per_block - i * kWarpSize);
    warp.stack.start(threads == kWarpSize ? kFullMask : (1u << threads) - 1);
    warp.barrier = kNoBarrier;
    cluster_arrived_[slot] = 0;
    products_.start_warp(slot);
    warp.outstanding_loads = warp.outstanding_stores = 0;
    ++warp.generation;
    warp.cached = 0;
    warp.resident = true;
    fill_slot_rows(launch, sm_, slot, warp.values.rows());
    for (const RowRange& range : launch.kernel->cleared) std::memset(warp.values.rows() + range.offset, 0, range.bytes);
    std::fill_n(warp.values.predicates, launch.kernel->predicates, 0u);
    for (const AddressRow& row : launch.kernel->addresses)
      for (uint32_t lane = 0; lane < kWarpSize; ++lane) set_address(warp.values, row, lane, row.address);
    if (!stacks_.empty()) stacks_[slot].clear();
  }
}

void SmState::set_clocks(Warp& warp, uint64_t clock) {
  fill_clock_rows(warp.kernel->launch(), clock, warp.values.rows());
}

void SmState::collective(uint32_t slot, const Insn& insn, uint32_t lanes, FaultRecord& fault) {
  Warp& warp = warps_[slot];
  if (lanes == 0) return warp.stack.advance();
  uint32_t live = warp.stack.live(), left_out = 0;
  bool all_here = true;
  auto mask_of = [&](uint32_t lane) { return lane_of<uint32_t>(insn.member_mask().mask.in(warp.values), lane); };
  for_member_groups(warp.values, insn, lanes, [&](uint32_t mask, uint32_t group) {
    left_out |= group & ~mask;
    all_here &= (mask & live) == group;
  });
  if (left_out != 0) [[unlikely]] {
    fault.kind = Fault::Kind::MemberMask;
    fault.raised = true;
    fault.address = mask_of(static_cast<uint32_t>(std::countr_zero(left_out)));
    return locate(fault, slot, left_out);
  }
  if (all_here || !independent_) [[likely]] {
    if (insn.run != nullptr) insn.run(warp.values, insn, lanes);
    return warp.stack.advance();
  }
  warp.barrier_pc = warp.stack.pc();
  std::array<uint32_t, kWarpSize> masks{};
  for_lanes_of(lanes, [&](uint32_t lane) { masks[lane] = mask_of(lane); });
  warp.stack.wait_for_members(lanes, insn.run, masks);
  run_members(warp);
}

/// Executes the .sync instructions whose lanes are complete; then the warp waits if none of its lanes can continue.
void SmState::run_members(Warp& warp) {
  for (std::vector<LanePath> paths; !(paths = warp.stack.release_members()).empty();) {
    std::vector<LanesAt> places;
    for (const LanePath& path : paths) places.push_back({&warp.code[path.pc], path.lanes});
    run_at_places(warp.values, places);
    for (const LanesAt& place : places) warp.forget(*place.insn);
  }
  warp.barrier = warp.stack.awaited_barrier();
}

bool SmState::wait_for_warp(uint32_t slot) {
  Warp& warp = warps_[slot];
  if (!independent_ || warp.stack.active() == warp.stack.live()) return false;
  warp.barrier_pc = warp.stack.pc();
  warp.stack.wait_for_warp();
  warp.barrier = warp.stack.awaited_barrier();
  return true;
}

void SmState::partial_warp(uint32_t slot, uint32_t lanes, FaultRecord& fault) const {
  fault.kind = Fault::Kind::PartialWarp;
  fault.raised = true;
  fault.lanes = lanes;
  locate(fault, slot, lanes);
}

void SmState::locate(FaultRecord& fault, uint32_t slot, uint32_t lanes) const {
  const Warp& warp = warps_[slot];
  fault.sm = static_cast<uint16_t>(sm_);
  fault.launch = static_cast<uint16_t>(warp.kernel->launch().number);
  fault.pc = warp.stack.pc();
  fault.block = block_of(warp).index;
  uint32_t lane = lanes == 0 ? 0 : static_cast<uint32_t>(std::countr_zero(lanes));
  fault.thread = warp.index_in_block * kWarpSize + lane;
}

}  // namespace warptime::sim
