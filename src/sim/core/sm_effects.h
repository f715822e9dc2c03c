// The effects of instructions other than arithmetic, one function for each: it executes and retires the instruction,
// and returns when its warp's next one may issue, or suspends the warp. Definitions of sm.h's templates, only for
// sm_life.h.
#pragma once

#include <algorithm>

#include "sim/core/sm.h"

namespace warptime::sim {

template <class Policy>
void Sm<Policy>::execute_other(SubCore& sub_core, uint32_t slot, Warp& warp, uint32_t lanes, Cycle now) {
  using ptx::Effect;
  const uint32_t pc = warp.stack.pc();
  const CodeEntry& entry = warp.code[pc];
  Issue issue{sub_core, slot, warp, entry.native, entry, pc, warp.stack.active(), lanes, now};
  switch (issue.insn.effect) {
    case Effect::None: return in_part(issue);
    case Effect::Clock: return clock(issue);
    case Effect::Collective: return collective(issue);
    case Effect::Load:
    case Effect::Store:
    case Effect::Atomic: return access(issue);
    case Effect::Texture: return texture(issue);
    case Effect::Nop: return nop(issue);
    case Effect::Branch: return branch(issue);
    case Effect::IndexedBranch:
    case Effect::Call:
    case Effect::Return: return jump(issue);
    case Effect::Barrier: return barrier(issue);
    case Effect::Fence: return fence(issue);
    case Effect::RuntimeCall: return runtime_call(issue);
    case Effect::Exit: return exit(issue);
    case Effect::Trap: return trap(issue);
  }
}

/// Retires an instruction with the cycles of its card. Returns when the warp's next one may issue.
template <class Policy>
Wait Sm<Policy>::hold_and_retire(const Issue& issue) {
  hold_part(issue.sub_core, issue.slot, issue.insn, issue.pc, issue.now, issue.insn.issue_cycles,
            issue.insn.pipe_cycles);
  return retire(issue);
}

template <class Policy>
void Sm<Policy>::go_to_next(const Issue& issue, Wait earliest) {
  issue.warp.stack.advance();
  prepare(issue.slot, earliest);
}

template <class Policy>
void Sm<Policy>::clock(const Issue& issue) {
  const NativeInsn& insn = issue.insn;
  state_.set_clocks(issue.warp, issue.now);
  watch_.did_anything();
  if (issue.lanes != 0) issue.value.run(issue.warp.values, issue.value, issue.lanes);
  set_results(issue.slot, insn, Wait::until(issue.now + insn.latency, Stall::AluDependency));
  go_to_next(issue, hold_and_retire(issue));
}

/// Advances the lanes itself, because independently scheduled lanes may wait for others.
template <class Policy>
void Sm<Policy>::collective(const Issue& issue) {
  state_.collective(issue.slot, issue.value, issue.lanes, fault_);
  if (fault_.raised) {
    fault_.cycle = issue.now;
    return;
  }
  computed(issue.sub_core, issue.slot, issue.insn, issue.pc, issue.now);
  prepare(issue.slot, retire(issue));
}

/// Arithmetic with NativeInsn::Time::ByLanes.
template <class Policy>
void Sm<Policy>::in_part(const Issue& issue) {
  const NativeInsn& insn = issue.insn;
  if (issue.lanes != 0) issue.value.run(issue.warp.values, issue.value, issue.lanes);
  IssueCost cost{insn.issue_cycles, insn.pipe_cycles, insn.latency};
  if (insn.reads_memory) cost = cost_.with_operands(issue.slot, insn, detail(issue.slot, insn).operands);
  set_results(issue.slot, insn, Wait::until(issue.now + cost.latency, Stall::AluDependency));
  hold_part(issue.sub_core, issue.slot, insn, issue.pc, issue.now, cost.issue, cost.pipe);
  go_to_next(issue, retire(issue));
}

template <class Policy>
void Sm<Policy>::nop(const Issue& issue) {
  go_to_next(issue, hold_and_retire(issue));
}

template <class Policy>
void Sm<Policy>::branch(const Issue& issue) {
  Cycle after = hold_and_retire(issue).cycle();
  const Insn& value = issue.value;
  bool diverged = issue.warp.stack.branch(issue.lanes, value.branch().target, value.branch().reconvergence);
  if (value.guard != kNoPredicate) ++counters_of(issue.slot).divergence.branches;
  if (diverged) {
    ++counters_of(issue.slot).divergence.divergent_branches;
    counters_of(issue.slot).diverged(issue.pc, issue.active, issue.lanes);
  }
  jumped(issue, after);
}

/// A call, a return, or brx.idx.
template <class Policy>
void Sm<Policy>::jump(const Issue& issue) {
  Cycle after = hold_and_retire(issue).cycle();
  state_.jump(issue.slot, issue.value, issue.lanes, counters_of(issue.slot).divergence, fault_);
  if (fault_.raised) {
    fault_.cycle = issue.now;
    return;
  }
  jumped(issue, after);
}

/// The warp is at another instruction, which must be fetched.
template <class Policy>
void Sm<Policy>::jumped(const Issue& issue, Cycle after) {
  if (watch_.on()) [[unlikely]]
    watch_.jumped(issue.slot, issue.pc);
  prepare(issue.slot, Wait::until(std::max(after, issue.now + issue.insn.latency), Stall::InstructionFetch));
}

template <class Policy>
void Sm<Policy>::barrier(const Issue& issue) {
  Wait next = hold_and_retire(issue);
  if (issue.lanes == 0) return go_to_next(issue, next);
  watch_.arrived(issue.slot, issue.value);
  SmState::Arrival arrival = state_.arrive(issue.slot, issue.lanes, issue.value, fault_);
  if (fault_.raised) {
    fault_.cycle = issue.now;
    return;
  }
  issue.warp.stack.advance();
  observer_.arrives(issue.slot, arrival.barrier);
  if (arrival.waits) warps_.suspend(issue.slot, WarpStatus::AtBarrier, Stall::Barrier);
  prepare_all(arrival.released, Wait::until(next.cycle() + machine_.issue.barrier_latency, Stall::Barrier));
  if (!arrival.waits) prepare(issue.slot, next);
}

template <class Policy>
void Sm<Policy>::fence(const Issue& issue) {
  Wait next = hold_and_retire(issue);
  if (issue.warp.outstanding_stores == 0) return go_to_next(issue, next);
  issue.warp.stack.advance();
  warps_.suspend(issue.slot, WarpStatus::AtFence, Stall::Fence);
}

template <class Policy>
void Sm<Policy>::runtime_call(const Issue& issue) {
  Wait next = hold_and_retire(issue);
  if (issue.lanes == 0) return go_to_next(issue, next);
  bool waits = runtime_calls_->call(state_, load_store_, issue.slot, issue.value, issue.lanes, issue.now, fault_);
  if (!waits) fault_.cycle = issue.now;
  if (fault_.raised) return;
  if (!waits) {
    Cycle done = std::max(next.cycle(), issue.now + machine_.runtime.call_cycles);
    return go_to_next(issue, Wait::until(done, Stall::GlobalDependency));
  }
  issue.warp.stack.advance();
  warps_.suspend(issue.slot, WarpStatus::RuntimeCall, Stall::GlobalDependency);
}

template <class Policy>
bool Sm<Policy>::answer(const HeapRequest& request, DeviceHeap& heap, Cycle ready) {
  if (!runtime_calls_->answer(request, state_, heap, fault_)) {
    observer_.faults(fault_);
    return false;
  }
  prepare(request.slot, Wait::until(ready, Stall::GlobalDependency));
  wake(sub_core_of(request.slot), ready);
  return true;
}

/// After an exit: the SM is not active any more, or not before the next of the kernel's warps starts. A block is often
/// assigned before the last warp of an earlier one has exited; whether it is must not change the time between them.
template <class Policy>
void Sm<Policy>::end_of_activity(KernelOnSm& kernel, const WarpTable& warps) {
  Cycle next = kNever;
  for (uint64_t rest = kernel.warps; rest != 0; rest &= rest - 1)
    next = std::min(next, warps[static_cast<uint32_t>(std::countr_zero(rest))].started);
  if (next <= kernel.active_to) return;
  kernel.counters.sm_cycles.active += kernel.active_to;
  if (next == kNever) return;
  kernel.active_from = next;
  kernel.counters.sm_cycles.active -= next;
}

template <class Policy>
void Sm<Policy>::exit(const Issue& issue) {
  const Cycle end = hold_and_retire(issue).cycle();
  Cycle after = issue.sub_core.free();
  if (issue.lanes == 0) return go_to_next(issue, Wait::until(after, Stall::AluDependency));
  SmState::Exited exited = state_.exit(issue.slot, issue.lanes, fault_);
  if (exited.warp_done) {
    warps_.set(issue.slot, WarpStatus::Empty);
    KernelOnSm& kernel = kernel_of(issue.slot);
    if constexpr (Policy::kStalls) kernel.counters.warp_cycles.resident += warps_[issue.slot].accounted;
    kernel.counters.sm_cycles.warps += end;
    kernel.warps &= ~(uint64_t{1} << issue.slot);
    kernel.active_to = std::max(kernel.active_to, end);
    end_of_activity(kernel, warps_);
    observer_.ends(issue.slot);
  } else {
    prepare(issue.slot, Wait::until(after, Stall::InstructionFetch));
  }
  prepare_all(exited.released, Wait::until(after + machine_.issue.barrier_latency, Stall::Barrier));
  if (exited.block_done)
    ended_.push_back(
        {issue.now, static_cast<uint16_t>(state_.index()), static_cast<uint16_t>(issue.warp.slot_of_block)});
}

template <class Policy>
void Sm<Policy>::trap(const Issue& issue) {
  Wait next = hold_and_retire(issue);
  if (issue.lanes == 0) return go_to_next(issue, next);
  fault_.kind = Fault::Kind::Trap;
  fault_.raised = true;
  fault_.cycle = issue.now;
  state_.locate(fault_, issue.slot, issue.lanes);
}

}  // namespace warptime::sim
