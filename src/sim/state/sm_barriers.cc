// The barriers of an SM's blocks, and exits, which barriers may wait for. What counts, what is a fault and what waits
// for ever is as an H100 has it (tests/isa/recorded/barriers.txt), on every machine.
#include <bit>
#include <utility>

#include "sim/exec/lanes_of_mask.h"
#include "sim/exec/predicate_handlers.h"
#include "sim/state/sm_state.h"

namespace warptime::sim {

namespace {

// The hardware takes the low bits of a register.
constexpr uint32_t kBarrierMask = kBarriers - 1, kThreadsMask = 0xfff;
// 1088 threads are waited for (for ever), 1984 are a fault. Between them nothing is recorded.
constexpr uint32_t kTooManyThreads = 1984;

uint32_t threads_in(uint32_t lanes) { return static_cast<uint32_t>(std::popcount(lanes)); }

/// What a barrier gives to the lanes that waited at `insn`.
void give_result(const WarpValues& values, const Insn& insn, uint32_t lanes, const Barrier& barrier) {
  switch (insn.barrier().kind) {
    case BarrierKind::Sync:
    case BarrierKind::Arrive: break;
    case BarrierKind::Popc:
      for_lanes_of(lanes, [&](uint32_t lane) { set_lane(values.rows() + insn.dst, lane, barrier.votes); });
      break;
    case BarrierKind::All:
      write_predicate(values, insn.dst, lanes, barrier.votes == barrier.voters ? kFullMask : 0);
      break;
    case BarrierKind::Any: write_predicate(values, insn.dst, lanes, barrier.votes > 0 ? kFullMask : 0); break;
  }
}

/// Some warps may arrive at a barrier at which others wait.
BarrierKind counted_as(BarrierKind kind) { return kind == BarrierKind::Arrive ? BarrierKind::Sync : kind; }

}  // namespace

SmState::BarrierUse SmState::barrier_use(const Warp& warp, uint32_t lanes, const Insn& insn) const {
  const BarrierPayload& asked = insn.barrier();
  uint32_t barrier = asked.number, threads = asked.threads;
  if (asked.in_registers) {
    auto lane = static_cast<uint32_t>(std::countr_zero(lanes));
    barrier = lane_of<uint32_t>(insn.src[1].in(warp.values), lane);
    threads = lane_of<uint32_t>(insn.src[2].in(warp.values), lane);
  }
  return {barrier & kBarrierMask, threads & kThreadsMask, asked.kind};
}

uint32_t SmState::staying_lanes(const Warp& warp) const {
  if (independent_) return warp.stack.live();
  auto only_exits = [&](uint32_t pc) {
    constexpr int kBranches = 8;  // bra to a bra to an exit
    for (int i = 0; i < kBranches && warp.code[pc].effect == ptx::Effect::Branch && warp.code[pc].guard == kNoPredicate;
         ++i)
      pc = warp.code[pc].branch().target;
    return warp.code[pc].effect == ptx::Effect::Exit && warp.code[pc].guard == kNoPredicate;
  };
  uint32_t leaving = 0;
  warp.stack.for_each_place([&](uint32_t pc, uint32_t lanes) { leaving |= only_exits(pc) ? lanes : 0; });
  return warp.stack.live() & ~leaving;
}

SmState::Arrival SmState::arrive(uint32_t slot, uint32_t lanes, const Insn& insn, FaultRecord& fault) {
  Warp& warp = warps_[slot];
  BarrierUse use = barrier_use(warp, lanes, insn);
  Arrival out{0, use.barrier, use.kind != BarrierKind::Arrive};
  warp.barrier_pc = warp.stack.pc();
  if (independent_) {
    warp.stack.park(lanes, use.barrier);
    warp.barrier = warp.stack.awaited_barrier();
    if (warp.stack.at_barriers()) out.released = arrive_waiting(slot, fault);
    return out;
  }
  if (lanes != warp.stack.live()) [[unlikely]] {
    const uint32_t staying = staying_lanes(warp);
    if (lanes != staying) {
      fault.kind = Fault::Kind::DivergentBarrier;
      fault.raised = true;
      fault.lanes = lanes;
      fault.live = staying;
      locate(fault, slot, staying & ~lanes);
      return out;
    }
  }
  if (!count_in(slot, lanes, use, fault)) return out;
  ResidentBlock& block = block_of(warp);
  vote(block.barriers[use.barrier], warp, lanes, insn);
  if (out.waits) {
    block.barriers[use.barrier].waiting |= uint64_t{1} << slot;
    warp.barrier = use.barrier;
  }
  out.released = release_if_complete(block, use.barrier);
  return out;
}

/// All lanes of a warp have gone aside at barriers. It arrives if they do the same at one; lanes that do different
/// things wait for each other for ever, lanes at different barriers are a fault.
uint64_t SmState::arrive_waiting(uint32_t slot, FaultRecord& fault) {
  Warp& warp = warps_[slot];
  bool first = true, same_kind = true, same_use = true;
  BarrierUse use{};
  uint32_t first_lanes = 0, other_lanes = 0;
  warp.stack.for_each_waiting([&](uint32_t pc, uint32_t lanes) {
    BarrierUse own = barrier_use(warp, lanes, warp.code[pc]);
    if (std::exchange(first, false)) {
      use = own;
      first_lanes = lanes;
      return;
    }
    same_kind &= own.kind == use.kind;
    if (own.barrier != use.barrier || own.threads != use.threads) {
      same_use = false;
      other_lanes = lanes;
    }
  });
  warp.barrier = use.barrier;
  if (!same_kind) return 0;
  if (!same_use) {
    barrier_fault(slot, other_lanes, use, Fault::Kind::BarrierMismatch, fault);
    fault.lanes = first_lanes;
    return 0;
  }
  if (!count_in(slot, first_lanes, use, fault)) return 0;
  ResidentBlock& block = block_of(warp);
  Barrier& barrier = block.barriers[use.barrier];
  warp.stack.for_each_waiting([&](uint32_t pc, uint32_t lanes) { vote(barrier, warp, lanes, warp.code[pc]); });
  if (use.kind != BarrierKind::Arrive) {
    barrier.waiting |= uint64_t{1} << slot;
  } else {
    warp.stack.release();
    warp.barrier = kNoBarrier;
  }
  return release_if_complete(block, use.barrier);
}

/// Always false, as what ends with it.
bool SmState::barrier_fault(uint32_t slot, uint32_t lanes, const BarrierUse& use, Fault::Kind kind,
                            FaultRecord& fault) const {
  fault.kind = kind;
  fault.raised = true;
  fault.limit = use.barrier;
  fault.bytes = use.threads;
  fault.lanes = 0;
  locate(fault, slot, lanes);
  fault.pc = warps_[slot].barrier_pc;
  return false;
}

/// Counts the warp at the barrier. False: a fault.
bool SmState::count_in(uint32_t slot, uint32_t lanes, const BarrierUse& use, FaultRecord& fault) {
  bool none = use.threads == 0 && use.kind == BarrierKind::Arrive;
  if (use.threads % kWarpSize != 0 || use.threads >= kTooManyThreads || none)
    return barrier_fault(slot, lanes, use, Fault::Kind::BarrierCount, fault);
  Barrier& barrier = block_of(warps_[slot]).barriers[use.barrier];
  if (barrier.arrivals == 0) {
    barrier.expected = use.threads;
    barrier.kind = counted_as(use.kind);
  } else if (barrier.expected != use.threads || barrier.kind != counted_as(use.kind)) {
    fault.address = barrier.expected;
    return barrier_fault(slot, lanes, use, Fault::Kind::BarrierMismatch, fault);
  }
  ++barrier.arrivals;
  return true;
}

void SmState::vote(Barrier& barrier, const Warp& warp, uint32_t lanes, const Insn& insn) {
  if (insn.barrier().kind <= BarrierKind::Arrive) return;
  barrier.votes += threads_in(predicate_source(warp.values, insn, 0) & lanes);
  barrier.voters += threads_in(lanes);
}

/// A thread count is a number of arrivals, even if warps have exited; without one, the barrier waits for all warps that
/// have not exited.
bool SmState::complete(const ResidentBlock& block, const Barrier& barrier) const {
  if (barrier.arrivals == 0) return false;
  if (barrier.expected == 0) return (block.warps & ~barrier.waiting) == 0;
  return barrier.arrivals * kWarpSize >= barrier.expected;
}

uint64_t SmState::release_if_complete(ResidentBlock& block, uint32_t number) {
  if (!complete(block, block.barriers[number])) return 0;
  Barrier barrier = block.barriers[number];
  block.barriers[number] = {};
  for (uint64_t rest = barrier.waiting; rest != 0; rest &= rest - 1) {
    Warp& warp = warps_[static_cast<size_t>(std::countr_zero(rest))];
    if (independent_) {
      warp.stack.for_each_waiting(
          [&](uint32_t pc, uint32_t lanes) { give_result(warp.values, warp.code[pc], lanes, barrier); });
      warp.stack.release();
    } else {
      give_result(warp.values, warp.code[warp.barrier_pc], warp.stack.live(), barrier);
    }
    warp.barrier = kNoBarrier;
  }
  return barrier.waiting;
}

SmState::Exited SmState::exit(uint32_t slot, uint32_t lanes, FaultRecord& fault) {
  Exited result;
  Warp& warp = warps_[slot];
  warp.stack.exit(lanes);
  if (!warp.stack.done()) {
    if (!independent_) return result;
    run_members(warp);  // lanes that have exited are not waited for
    if (warp.stack.at_barriers()) result.released = arrive_waiting(slot, fault);
    return result;
  }
  result.warp_done = true;
  warp.resident = false;
  ResidentBlock& block = block_of(warp);
  block.warps &= ~(uint64_t{1} << slot);
  if (block.warps == 0) {
    block.resident = false;
    block.kernel->end_block(block.place);
    result.block_done = true;
  } else {
    result.released = release_completed(block);
  }
  return result;
}

uint64_t SmState::release_completed(ResidentBlock& block) {
  uint64_t released = 0;
  for (uint32_t barrier = 0; barrier < kBarriers; ++barrier) released |= release_if_complete(block, barrier);
  return released;
}

}  // namespace warptime::sim
