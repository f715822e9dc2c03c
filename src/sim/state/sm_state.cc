#include "sim/state/sm_state.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

#include "sim/exec/lanes_of_mask.h"
#include "sim/exec/member_masks.h"
#include "sim/exec/warp_handlers.h"
#include "sim/state/launch_rows.h"

namespace warptime::sim {

namespace {

/// Where the rows of number `index` begin, if each has `count`.
const std::byte* first_row(const std::vector<ConstantRow>& rows, size_t index, uint32_t count) {
  return reinterpret_cast<const std::byte*>(rows.data() + index * count);
}

}  // namespace

SmState::SmState(const LaunchContext& launch, uint32_t sm)
    : launch_(&launch),
      insns_(launch.kernel->insns.data()),
      sm_(sm),
      independent_(launch.machine->sm.reconvergence == Reconvergence::independent) {
  uint32_t slots = launch.blocks_per_sm * launch.warps_per_block;
  // An odd number of rows keeps the same register of different warps out of one set of the host's caches.
  uint32_t rows = launch.kernel->rows | 1;
  rows_.resize(size_t{slots} * rows);
  block_rows_.resize(size_t{launch.blocks_per_sm} * launch.kernel->block_rows);
  predicates_.resize(size_t{slots} * launch.kernel->predicates);
  shared_.resize(size_t{launch.blocks_per_sm} * launch.shared_bytes);
  warps_.resize(slots);
  if (!launch.kernel->recursions.empty()) stacks_.resize(slots);
  blocks_.resize(launch.blocks_per_sm);
  for (uint32_t slot = 0; slot < slots; ++slot) {
    WarpValues& values = warps_[slot].values;
    values.predicates = predicates_.data() + size_t{slot} * launch.kernel->predicates;
    if (independent_) warps_[slot].stack.schedule_lanes_independently();
    warps_[slot].slot_of_block = slot / launch.warps_per_block;
    warps_[slot].index_in_block = slot % launch.warps_per_block;
    values.areas = {first_row(rows_, slot, rows), first_row(launch.launch_rows, 0, 0),
                    first_row(launch.thread_rows, warps_[slot].index_in_block, launch.kernel->thread_rows),
                    first_row(block_rows_, warps_[slot].slot_of_block, launch.kernel->block_rows)};
    fill_slot_rows(launch, sm, slot, values.rows());
  }
  for (uint32_t block_slot = 0; block_slot < launch.blocks_per_sm; ++block_slot)
    blocks_[block_slot].shared = shared_.data() + size_t{block_slot} * launch.shared_bytes;
  for (Warp& warp : warps_) warp.shared = block_of(warp).shared;
}

uint32_t SmState::free_slot() const {
  auto free = std::find_if(blocks_.begin(), blocks_.end(), [](const ResidentBlock& b) { return !b.resident; });
  return static_cast<uint32_t>(free - blocks_.begin());
}

uint64_t SmState::start_block(uint64_t index, uint32_t block_slot) {
  ResidentBlock& block = blocks_[block_slot];
  SIM_ASSERT(!block.resident, "SM {} was given a block but its slot {} is taken", sm_, block_slot);
  block.index = index;
  block.resident = true;
  block.warps = 0;
  block.barriers.fill({});
  if (launch_->shared_bytes > 0) std::memset(block.shared, 0, launch_->shared_bytes);
  if (launch_->kernel->block_rows != 0)
    fill_block_rows(*launch_, index, block_rows_[size_t{block_slot} * launch_->kernel->block_rows].bytes.data());

  uint32_t first = block_slot * launch_->warps_per_block;
  for (uint32_t i = 0; i < launch_->warps_per_block; ++i) {
    Warp& warp = warps_[first + i];
    uint32_t threads = std::min(kWarpSize, launch_->threads_per_block - i * kWarpSize);
    warp.stack.start(threads == kWarpSize ? kFullMask : (1u << threads) - 1);
    warp.barrier = kNoBarrier;
    warp.outstanding_loads = warp.outstanding_stores = 0;
    ++warp.generation;
    warp.cached = 0;
    warp.resident = true;
    for (const RowRange& range : launch_->kernel->cleared)
      std::memset(warp.values.rows() + range.offset, 0, range.bytes);
    std::fill_n(warp.values.predicates, launch_->kernel->predicates, 0u);
    for (const AddressRow& row : launch_->kernel->addresses)
      for (uint32_t lane = 0; lane < kWarpSize; ++lane) set_address(warp.values, row, lane, row.address);
    if (!stacks_.empty()) stacks_[first + i].clear();
    block.warps |= uint64_t{1} << (first + i);
  }
  return block.warps;
}

void SmState::set_clocks(Warp& warp, uint64_t clock) { fill_clock_rows(*launch_, clock, warp.values.rows()); }

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
  warp.stack.wait_for_members(lanes, insn.run, mask_of);
  run_members(warp);
}

/// Executes the .sync instructions whose lanes are complete; then the warp waits if none of its lanes can continue.
void SmState::run_members(Warp& warp) {
  std::array<LanesAt, kWarpSize> places;
  size_t count = 0;
  auto add = [&](uint32_t pc, uint32_t lanes) { places[count++] = {&insns_[pc], lanes}; };
  while (warp.stack.release_members(add)) {
    run_at_places(warp.values, std::span(places.data(), count));
    for (; count > 0; --count) warp.forget(*places[count - 1].insn);
  }
  if (warp.stack.waits()) warp.barrier = warp.stack.awaited_barrier();
}

void SmState::locate(FaultRecord& fault, uint32_t slot, uint32_t lanes) const {
  const Warp& warp = warps_[slot];
  fault.sm = static_cast<uint16_t>(sm_);
  fault.pc = warp.stack.pc();
  fault.block = block_of(warp).index;
  uint32_t lane = lanes == 0 ? 0 : static_cast<uint32_t>(std::countr_zero(lanes));
  fault.thread = warp.index_in_block * kWarpSize + lane;
}

}  // namespace warptime::sim
