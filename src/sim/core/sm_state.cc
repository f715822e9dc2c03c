#include "sim/core/sm_state.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "sim/exec/memory_values.h"

namespace warptime::sim {

SmState::SmState(const LaunchContext& launch, uint32_t sm)
    : launch_(&launch),
      insns_(launch.kernel->insns.data()),
      sm_(sm),
      independent_(launch.machine->sm.reconvergence == Reconvergence::independent) {
  uint32_t places = launch.blocks_per_sm * launch.warps_per_block;
  // An odd number of rows keeps the same register of different warps out of one set of the host's caches.
  uint32_t rows = launch.kernel->rows | 1;
  row_stride_ = rows * kRowBytes;
  rows_.resize(size_t{places} * rows);
  predicates_.resize(size_t{places} * launch.kernel->predicates);
  shared_.resize(size_t{launch.blocks_per_sm} * launch.shared_bytes);
  warps_.resize(places);
  blocks_.resize(launch.blocks_per_sm);
  for (uint32_t place = 0; place < places; ++place) {
    WarpValues& values = warps_[place].values;
    values.rows = rows_[size_t{place} * rows].bytes.data();
    values.predicates = predicates_.data() + size_t{place} * launch.kernel->predicates;
    values.constants = launch.kernel->constants.empty() ? nullptr : launch.kernel->constants[0].bytes.data();
    if (independent_) warps_[place].stack.schedule_lanes_independently();
    warps_[place].slot_of_block = place / launch.warps_per_block;
    warps_[place].index_in_block = place % launch.warps_per_block;
  }
  for (uint32_t slot = 0; slot < launch.blocks_per_sm; ++slot)
    blocks_[slot].shared = shared_.data() + size_t{slot} * launch.shared_bytes;
}

uint32_t SmState::free_slot() const {
  auto free = std::find_if(blocks_.begin(), blocks_.end(), [](const ResidentBlock& b) { return !b.resident; });
  return static_cast<uint32_t>(free - blocks_.begin());
}

uint64_t SmState::start_block(uint64_t index, uint32_t slot) {
  ResidentBlock& block = blocks_[slot];
  SIM_ASSERT(!block.resident, "SM {} was given a block but its slot {} is taken", sm_, slot);
  block.index = index;
  block.resident = true;
  block.warps = 0;
  block.arrived.fill(0);
  block.arrived_threads.fill(0);
  if (launch_->shared_bytes > 0) std::memset(block.shared, 0, launch_->shared_bytes);

  uint32_t first = slot * launch_->warps_per_block;
  for (uint32_t i = 0; i < launch_->warps_per_block; ++i) {
    Warp& warp = warps_[first + i];
    uint32_t threads = std::min(kWarpSize, launch_->threads_per_block - i * kWarpSize);
    warp.stack.start(threads == kWarpSize ? kFullMask : (1u << threads) - 1);
    warp.barrier = kNoBarrier;
    warp.outstanding_loads = warp.outstanding_stores = 0;
    ++warp.generation;
    warp.resident = true;
    std::memset(warp.values.rows, 0, row_stride_);
    std::fill_n(warp.values.predicates, launch_->kernel->predicates, 0u);
    set_specials(warp, first + i, block);
    block.warps |= uint64_t{1} << (first + i);
  }
  return block.warps;
}

namespace {

template <class T>
void fill(std::byte* row, const std::array<uint64_t, kWarpSize>& lanes) {
  for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
    auto value = static_cast<T>(lanes[lane]);
    std::memcpy(row + lane * sizeof(T), &value, sizeof(T));
  }
}

}  // namespace

void SmState::set_specials(Warp& warp, uint32_t place, const ResidentBlock& block) {
  using ptx::Special;
  const auto& grid = launch_->grid;
  const auto& shape = launch_->block;
  uint64_t ctaid_x = block.index % grid[0], ctaid_y = block.index / grid[0] % grid[1];
  uint64_t ctaid_z = block.index / grid[0] / grid[1];
  for (const SpecialRow& row : launch_->kernel->specials) {
    std::array<uint64_t, kWarpSize> lanes{};
    for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
      uint32_t thread = warp.index_in_block * kWarpSize + lane;
      uint64_t value = 0;
      switch (row.special) {
        case Special::TidX: value = thread % shape[0]; break;
        case Special::TidY: value = thread / shape[0] % shape[1]; break;
        case Special::TidZ: value = thread / shape[0] / shape[1]; break;
        case Special::NtidX: value = shape[0]; break;
        case Special::NtidY: value = shape[1]; break;
        case Special::NtidZ: value = shape[2]; break;
        case Special::CtaidX: value = ctaid_x; break;
        case Special::CtaidY: value = ctaid_y; break;
        case Special::CtaidZ: value = ctaid_z; break;
        case Special::NctaidX: value = grid[0]; break;
        case Special::NctaidY: value = grid[1]; break;
        case Special::NctaidZ: value = grid[2]; break;
        case Special::LaneId: value = lane; break;
        case Special::WarpId: value = place; break;
        case Special::NWarpId: value = launch_->machine->sm.max_warps; break;
        case Special::SmId: value = sm_; break;
        case Special::NSmId: value = sm_count(*launch_->machine); break;
        case Special::GridId: value = 0; break;
        case Special::LanemaskEq: value = uint64_t{1} << lane; break;
        case Special::LanemaskLe: value = (uint64_t{2} << lane) - 1; break;
        case Special::LanemaskLt: value = (uint64_t{1} << lane) - 1; break;
        case Special::LanemaskGe: value = kFullMask & ~((uint64_t{1} << lane) - 1); break;
        case Special::LanemaskGt: value = kFullMask & ~((uint64_t{2} << lane) - 1); break;
        case Special::Clock:  // decode does not let these through: they have no value before they are read
        case Special::ClockHi:
        case Special::Clock64:
        case Special::Count: break;
      }
      lanes[lane] = value;
    }
    std::byte* to = warp.values.rows + row.offset;
    switch (ptx::bytes(row.type)) {
      case 2: fill<uint16_t>(to, lanes); break;
      case 8: fill<uint64_t>(to, lanes); break;
      default: fill<uint32_t>(to, lanes); break;
    }
  }
}

uint64_t SmState::arrive(uint32_t place, uint32_t lanes, uint32_t barrier, uint32_t threads, FaultRecord& fault) {
  Warp& warp = warps_[place];
  if (independent_) {
    ResidentBlock& own = block_of(warp);
    own.arrived[barrier] |= uint64_t{1} << place;
    own.arrived_threads[barrier] += static_cast<uint32_t>(std::popcount(lanes));
    if (!warp.stack.park(barrier)) warp.barrier = barrier;
    return release_if_complete(own, barrier, threads);
  }
  if (lanes != warp.stack.live()) {
    fault.kind = Fault::Kind::DivergentBarrier;
    fault.raised = true;
    fault.lanes = lanes;
    fault.live = warp.stack.live();
    locate(fault, place, warp.stack.live() & ~lanes);
    return 0;
  }
  ResidentBlock& block = block_of(warp);
  block.arrived[barrier] |= uint64_t{1} << place;
  warp.barrier = barrier;
  return release_if_complete(block, barrier, threads);
}

uint64_t SmState::release_if_complete(ResidentBlock& block, uint32_t barrier, uint32_t threads) {
  uint64_t arrived = block.arrived[barrier];
  if (independent_) return release_threads(block, barrier, threads);
  // Compute capabilities below 7.0 count warps; warps that have exited are no longer expected.
  uint32_t live = static_cast<uint32_t>(std::popcount(block.warps));
  uint32_t expected = threads == 0 ? live : std::min(live, (threads + kWarpSize - 1) / kWarpSize);
  if (arrived == 0 || static_cast<uint32_t>(std::popcount(arrived)) < expected) return 0;
  block.arrived[barrier] = 0;
  for (uint64_t rest = arrived; rest != 0; rest &= rest - 1)
    warps_[static_cast<size_t>(std::countr_zero(rest))].barrier = kNoBarrier;
  return arrived;
}

/// From compute capability 7.0 on threads are counted; those that have exited are no longer expected.
uint64_t SmState::release_threads(ResidentBlock& block, uint32_t barrier, uint32_t threads) {
  uint32_t live = 0;
  for (uint64_t rest = block.warps; rest != 0; rest &= rest - 1)
    live += static_cast<uint32_t>(std::popcount(warps_[static_cast<size_t>(std::countr_zero(rest))].stack.live()));
  uint32_t expected = threads == 0 ? live : std::min(live, threads);
  uint64_t arrived = block.arrived[barrier];
  if (arrived == 0 || block.arrived_threads[barrier] < expected) return 0;
  block.arrived[barrier] = 0;
  block.arrived_threads[barrier] = 0;
  for (uint64_t rest = arrived; rest != 0; rest &= rest - 1) {
    Warp& warp = warps_[static_cast<size_t>(std::countr_zero(rest))];
    warp.stack.release(barrier);
    warp.barrier = kNoBarrier;
  }
  return arrived;
}

void SmState::jump(uint32_t place, const Insn& insn, uint32_t lanes, DivergenceStats& divergence, FaultRecord& fault) {
  using ptx::Effect;
  Warp& warp = warps_[place];
  const std::vector<Linkage>& linkages = launch_->kernel->linkages;
  if (insn.effect == Effect::IndexedBranch) {
    indexed_branch(place, insn, lanes, divergence, fault);
  } else if (lanes == 0) {
    warp.stack.advance();
  } else if (insn.effect == Effect::Call) {
    transfer(warp.values, linkages[insn.linkage].arguments, lanes);
    warp.stack.call(lanes, insn.target);
  } else {
    transfer(warp.values, linkages[insns_[warp.stack.caller()].linkage].results, lanes);
    warp.stack.ret(lanes);
  }
}

void SmState::indexed_branch(uint32_t place, const Insn& insn, uint32_t lanes, DivergenceStats& divergence,
                             FaultRecord& fault) {
  Warp& warp = warps_[place];
  const std::vector<uint32_t>& list = launch_->kernel->linkages[insn.linkage].targets;
  const std::byte* row = insn.src[0].in(warp.values);
  std::array<uint32_t, kWarpSize> targets{};
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    uint32_t index = 0;
    std::memcpy(&index, row + lane * 4, 4);
    if (index >= list.size()) {
      fault.kind = Fault::Kind::BranchIndex;
      fault.raised = true;
      fault.address = index;
      fault.limit = list.size();
      return locate(fault, place, 1u << lane);
    }
    targets[lane] = list[index];
  }
  ++divergence.branches;
  if (warp.stack.branch(lanes, targets, insn.reconvergence)) ++divergence.divergent_branches;
}

SmState::Exited SmState::exit(uint32_t place, uint32_t lanes) {
  Exited result;
  Warp& warp = warps_[place];
  warp.stack.exit(lanes);
  if (!warp.stack.done()) {
    if (independent_) result.released = release_completed(block_of(warp));
    return result;
  }
  result.warp_done = true;
  warp.resident = false;
  ResidentBlock& block = block_of(warp);
  block.warps &= ~(uint64_t{1} << place);
  if (block.warps == 0) {
    block.resident = false;
    result.block_done = true;
  } else {
    result.released = release_completed(block);
  }
  return result;
}

uint64_t SmState::release_completed(ResidentBlock& block) {
  uint64_t released = 0;
  for (uint32_t barrier = 0; barrier < kBarriers; ++barrier) released |= release_if_complete(block, barrier, 0);
  return released;
}

void SmState::locate(FaultRecord& fault, uint32_t place, uint32_t lanes) const {
  const Warp& warp = warps_[place];
  fault.sm = static_cast<uint16_t>(sm_);
  fault.pc = warp.stack.pc();
  fault.block = block_of(warp).index;
  uint32_t lane = lanes == 0 ? 0 : static_cast<uint32_t>(std::countr_zero(lanes));
  fault.thread = warp.index_in_block * kWarpSize + lane;
}

}  // namespace warptime::sim
