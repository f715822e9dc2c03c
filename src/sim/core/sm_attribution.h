// Charges an SM's cycles: the issue slots of each sub-core, and the cycles of each warp and each pipe. Definitions of
// sm.h's templates, only for sm_life.h.
#pragma once

#include <algorithm>
#include <array>
#include <bit>

#include "sim/core/sm.h"
#include "sim/exec/memory_values.h"
#include "sim/model/pipe.h"

namespace warptime::sim {

/// An instruction that issues at `now` occupies the sub-core and its pipe.
template <class Policy>
void Sm<Policy>::hold(SubCore& sub_core, uint32_t slot, const NativeInsn& insn, uint32_t pc, Cycle now,
                      uint32_t issue_cycles, uint32_t pipe_cycles) {
  if (insn.takes_no_time()) return;
  SmCounters& counters = counters_of(slot);
  counters.slots_of(pc).issued += sub_core.hold(now, issue_cycles, pc);
  counters.pipe_busy[static_cast<size_t>(insn.unit)] += pipe_cycles;
  if (insn.unit == ptx::Unit::Memory) under_way_.pipe_taken();
  pipes_.take(insn.unit, sub_core.index(), now + pipe_cycles);
  if (insn.holds_sps) {
    const uint32_t sp_cycles = detail(slot, insn).sp_cycles;
    counters.pipe_busy[static_cast<size_t>(ptx::Unit::Sp)] += sp_cycles;
    Cycle free = std::max(now, pipes_.free(ptx::Unit::Sp, sub_core.index()));
    pipes_.take(ptx::Unit::Sp, sub_core.index(), free + sp_cycles);
  }
}

/// hold() of an instruction that may take a part of its cycles.
template <class Policy>
void Sm<Policy>::hold_part(SubCore& sub_core, uint32_t slot, const NativeInsn& insn, uint32_t pc, Cycle now,
                           uint32_t issue_cycles, uint32_t pipe_cycles) {
  IssueCost cost{issue_cycles, pipe_cycles, 0};
  if (insn.time == NativeInsn::Time::ByLanes) [[unlikely]]
    cost = part_of(slot, insn, cost);
  hold(sub_core, slot, insn, pc, now, cost.issue, cost.pipe);
}

/// Reduces the cycles of an instruction to the part that the active lanes are of the warp's threads. What is cut off is
/// kept for the warp's next instruction. Transactions are what lanes make, so the memory port keeps its cycles, and so
/// does the copy engine.
template <class Policy>
IssueCost Sm<Policy>::part_of(uint32_t slot, const NativeInsn& insn, IssueCost cost) {
  const Warp& warp = state_.warp(slot);
  const uint32_t first = warp.index_in_block * kWarpSize;
  const uint32_t threads = std::min(kWarpSize, state_.launch_of(slot).threads_per_block - first);
  const uint32_t active = count_lanes(warp.stack.active());
  auto part = [&](uint32_t cycles, uint32_t& rest) {
    const uint32_t all = cycles * active + rest;
    rest = all % threads;
    return all / threads;
  };
  cost.issue = part(cost.issue, warps_[slot].rest_of_issue);
  if (insn.unit != ptx::Unit::Memory && insn.unit != ptx::Unit::CopyEngine)
    cost.pipe = part(cost.pipe, warps_[slot].rest_of_pipe);
  return cost;
}

/// The gap that ends with this issue, and the warp's cycles since its last one.
template <class Policy>
void Sm<Policy>::charge_gap(const SubCore& sub_core, uint32_t slot, const NativeInsn& insn, uint32_t pc, Cycle now) {
  if constexpr (Policy::kStalls) {
    Wait wait = warps_[slot].wait;
    SmCounters& counters = counters_of(slot);
    Cycle gap = now - sub_core.free();
    if (gap > 0 && !insn.takes_no_time()) {
      Stall reason = wait.reason();
      if (wait.cycle() < pipes_.free(insn.unit, sub_core.index())) {
        reason = busy_reason(insn.unit);
        if (reason == Stall::MemoryQueueFull) charge_queue(slot, gap);
      }
      // If other warps were resident all the time, the sub-core did not wait for the new warp, but for its first
      // instruction.
      if (reason == Stall::NoWarp && had_warps_at(sub_core, sub_core.free())) reason = Stall::InstructionFetch;
      SlotCounters& row = reason == Stall::NoWarp ? counters.no_instruction() : counters.slots_of(pc);
      row.stalls[static_cast<size_t>(reason)] += gap;
    }
    WarpCycles& cycles = counters.warp_cycles;
    Cycle from = warps_[slot].accounted, able = std::clamp(wait.cycle(), from, now);
    cycles.waiting[static_cast<size_t>(wait.reason())] += able - from;
    cycles.not_selected += now - able;
  }
}

/// By what was full. A function of its own, because in line it costs every instruction.
template <class Policy>
void Sm<Policy>::charge_queue(uint32_t slot, Cycle gap) {
  cycles_of(counters_of(slot).memory_queue_full, under_way_.full()) += gap;
}

template <class Policy>
bool Sm<Policy>::had_warps_at(const SubCore& sub_core, Cycle cycle) const {
  for (uint64_t rest = warps_.resident() & sub_core.slots(); rest != 0; rest &= rest - 1)
    if (warps_[static_cast<uint32_t>(std::countr_zero(rest))].started <= cycle) return true;
  return false;
}

template <class Policy>
Stall Sm<Policy>::busy_reason(ptx::Unit unit) const {
  bool queue_full = unit == ptx::Unit::Memory && under_way_.waits_for_room();
  return queue_full ? Stall::MemoryQueueFull : busy_stall(unit);
}

/// For resident warps, the start has been counted, but not the end.
template <class Policy>
SmCounters Sm<Policy>::with_resident(const KernelOnSm& kernel) const {
  SmCounters out = kernel.counters.completed();
  for (uint64_t rest = kernel.warps; rest != 0; rest &= rest - 1) {
    const WarpTable::Row& warp = warps_[static_cast<uint32_t>(std::countr_zero(rest))];
    if constexpr (Policy::kStalls) out.warp_cycles.resident += warp.accounted;
    out.sm_cycles.warps += std::max(step_begin_, warp.started);
  }
  if (kernel.warps != 0) out.sm_cycles.active += std::max(step_begin_, kernel.active_from);
  return out;
}

template <class Policy>
void Sm<Policy>::finish(Cycle end) {
  if constexpr (Policy::kStalls)
    for (const SubCore& sub_core : sub_cores_)
      kernels_.front()->counters.no_instruction().stalls[static_cast<size_t>(Stall::Drained)] += end - sub_core.free();
}

template <class Policy>
SmCounters Sm<Policy>::counters_at(Cycle end, bool more, uint32_t launch) const {
  const KernelOnSm& kernel = *kernels_[launch];
  SmCounters out = kernel.counters.completed();
  for (const SubCore& sub_core : sub_cores_) charge_until(end, more, sub_core, kernel, out);
  for (uint64_t rest = kernel.warps; rest != 0; rest &= rest - 1) {
    auto slot = static_cast<uint32_t>(std::countr_zero(rest));
    if constexpr (Policy::kStalls) charge_until(end, slot, out.warp_cycles);
    out.sm_cycles.warps += std::max(end, warps_[slot].started);
  }
  if (kernel.warps != 0) out.sm_cycles.active += std::max(end, kernel.active_from);
  return out;
}

template <class Policy>
uint32_t Sm<Policy>::first_to_issue(uint64_t warps) const {
  auto slot = static_cast<uint32_t>(std::countr_zero(warps));
  for (uint64_t rest = warps; rest != 0; rest &= rest - 1)
    if (auto other = static_cast<uint32_t>(std::countr_zero(rest)); warps_[other].wait.key < warps_[slot].wait.key)
      slot = other;
  return slot;
}

/// The gap that is open, if this warp is the next one to issue.
template <class Policy>
Stall Sm<Policy>::reason_of_gap(const SubCore& sub_core, uint32_t slot) const {
  const Wait wait = warps_[slot].wait;
  const ptx::Unit unit = next_insn(slot).native.unit;
  const bool for_pipe = wait.known() && wait.cycle() < pipes_.free(unit, sub_core.index());
  const Stall reason = for_pipe ? busy_reason(unit) : wait.reason();
  return reason == Stall::NoWarp && had_warps_at(sub_core, sub_core.free()) ? Stall::InstructionFetch : reason;
}

template <class Policy>
void Sm<Policy>::charge_open_gaps(Cycle now) {
  for (SubCore& sub_core : sub_cores_) {
    if (sub_core.free() >= now) continue;
    if constexpr (Policy::kStalls)
      if (const uint64_t warps = warps_.resident() & sub_core.slots(); warps != 0) {
        const uint32_t slot = first_to_issue(warps);
        const Stall reason = reason_of_gap(sub_core, slot);
        SmCounters& counters = counters_of(slot);
        SlotCounters& row =
            reason == Stall::NoWarp ? counters.no_instruction() : counters.slots_of(state_.warp(slot).stack.pc());
        row.stalls[static_cast<size_t>(reason)] += now - sub_core.free();
      }
    sub_core.idle_until(now);
  }
}

/// The sub-core's slots: without what the last instruction holds from `end` on, or with the gap that is still open.
template <class Policy>
void Sm<Policy>::charge_until(Cycle end, bool more, const SubCore& sub_core, const KernelOnSm& kernel,
                              SmCounters& out) const {
  if (Cycle free = sub_core.free(); free > end) {
    uint64_t over = free - end, &last = out.slots_of(sub_core.held_by()).issued;
    uint64_t of_last = std::min(over, last);
    last -= of_last;
    // The rest is of the instruction before it, with which it was issued (dual issue).
    if (over > of_last) out.slots_of(sub_core.held_by() - 1).issued -= over - of_last;
    return;
  }
  if constexpr (Policy::kStalls) {
    // To what the first warp that will issue waits for, as far as that is known.
    uint64_t warps = kernel.warps & sub_core.slots();
    const uint32_t slot = first_to_issue(warps);
    Stall reason = more || kernel.warps != 0 ? Stall::NoWarp : Stall::Drained;
    if (warps != 0) reason = reason_of_gap(sub_core, slot);
    bool of_none = reason == Stall::NoWarp || reason == Stall::Drained;
    SlotCounters& row = of_none ? out.no_instruction() : out.slots_of(state_.warp(slot).stack.pc());
    Cycle from = sub_core.free();
    // The gap before a faulting instruction has been charged, although it then held nothing.
    for (uint64_t rest = warps; rest != 0; rest &= rest - 1)
      if (has_faulted(static_cast<uint32_t>(std::countr_zero(rest)))) from = std::max(from, fault_.cycle);
    row.stalls[static_cast<size_t>(reason)] += end - from;
  }
}

template <class Policy>
bool Sm<Policy>::has_faulted(uint32_t slot) const {
  const Warp& warp = state_.warp(slot);
  return fault_.raised && state_.launch_of(slot).number == fault_.launch &&
         state_.block_of(warp).index == fault_.block && warp.index_in_block == fault_.thread / kWarpSize;
}

/// A resident warp's cycles.
template <class Policy>
void Sm<Policy>::charge_until(Cycle end, uint32_t slot, WarpCycles& out) const {
  const WarpTable::Row& warp = warps_[slot];
  out.resident += std::max(end, warp.started);
  if (warp.started >= end) return;
  if (warp.accounted > end) {
    out.issuing -= warp.accounted - end;
    return;
  }
  Cycle from = has_faulted(slot) ? std::max(warp.accounted, fault_.cycle) : warp.accounted;
  Cycle able = std::clamp(warp.wait.cycle(), from, end);
  out.waiting[static_cast<size_t>(warp.wait.reason())] += able - from;
  out.not_selected += end - able;
}

/// The reasons for which the warp did not issue `insn` before `now`.
template <class Policy>
void Sm<Policy>::observe_wait(const SubCore& sub_core, uint32_t slot, const NativeInsn& insn, Cycle now) {
  if constexpr (Observer::kOn)
    observer_.waited(slot, state_.warp(slot).stack.pc(), warps_[slot].wait.cycle(), warps_[slot].wait.reason(),
                     pipes_.free(insn.unit, sub_core.index()), busy_reason(insn.unit), now);
}

template <class Policy>
void Sm<Policy>::observe_issue(uint32_t slot, uint32_t pc, uint32_t active, uint32_t lanes, Cycle now) {
  if constexpr (Observer::kProbes) {
    const WarpTable::Row& row = warps_[slot];
    Cycle able = std::min(row.wait.cycle(), now);
    observer_.issues(slot, pc, active, lanes, row.wait.reason(), able - std::min(able, row.accounted), now);
  }
}

/// Called before the instruction executes, because a load may overwrite its own address register.
template <class Policy>
void Sm<Policy>::observe_access(uint32_t slot, const Warp& warp, const Insn& value, uint32_t pc, uint32_t lanes,
                                Cycle now) {
  if constexpr (Observer::kAddresses) {
    if (!ptx::accesses(value.effect) || lanes == 0 || !observer_.wants_addresses()) return;
    std::array<Addr, kWarpSize> addresses{};
    lanes = value.addressing(lanes);
    lane_addresses(warp.values, value.access().address, lanes, addresses);
    observer_.accesses(slot, pc, value, lanes, addresses, now);
  }
}

template <class Policy>
void Sm<Policy>::observe_queue(Cycle now) {
  if constexpr (Observer::kOn)
    if (observer_.recording()) observer_.queue(now, under_way_.queued(now));
}

}  // namespace warptime::sim
