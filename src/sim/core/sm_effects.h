// The time of instructions other than arithmetic: each executes (effects.h, sm_memory.h) and retires; then its warp's
// next one is prepared, or the warp is suspended. Definitions of sm.h's templates, only for sm_life.h.
#pragma once

#include <algorithm>

#include "sim/core/effects.h"
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
    case Effect::Load:
    case Effect::Store:
    case Effect::Atomic: return access(issue);
    case Effect::AsyncCopy: return copy(issue);
    case Effect::BulkCopy: return bulk_copy(issue);
    case Effect::Async: return async(issue);
    case Effect::Texture: return texture(issue);
    case Effect::Branch: return control(issue, Effect::Branch, hold_and_retire(issue));
    case Effect::Collective:
    case Effect::Matrix:
      computed(sub_core, slot, issue.insn, pc, now);
      return control(issue, issue.insn.effect, retire(issue));
    case Effect::AsyncMatrix:
    case Effect::Nop:
    case Effect::Clock:
    case Effect::IndexedBranch:
    case Effect::Call:
    case Effect::Return:
    case Effect::Barrier:
    case Effect::Fence:
    case Effect::RuntimeCall:
    case Effect::Exit:
    case Effect::Trap: return control(issue, issue.insn.effect, hold_and_retire(issue));
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

/// An instruction of effects.h has retired: the warp's next one may issue at `next`, or later, by its effect.
template <class Policy>
void Sm<Policy>::control(const Issue& issue, ptx::Effect effect, Wait next) {
  using ptx::Effect;
  const uint32_t slot = issue.slot;
  const EffectDone done =
      perform({state_, load_store_, watch_, runtime_calls_.get(), counters_of(slot), fault_, issue.now, issue.now},
              slot, issue.value, effect, issue.lanes);
  if (fault_.raised) {
    fault_.cycle = issue.now;
    return;
  }
  if (!done.moved) issue.warp.stack.advance();
  switch (effect) {
    case Effect::Branch:
    case Effect::IndexedBranch:
    case Effect::Call:
    case Effect::Return: {  // another instruction, which must be fetched
      const bool is_taken = effect != Effect::Branch || issue.lanes != 0 || machine_.issue.not_taken_latency == 0;
      const uint32_t latency = is_taken ? issue.insn.latency : machine_.issue.not_taken_latency;
      next = Wait::until(std::max(next.cycle(), issue.now + latency), Stall::InstructionFetch);
      break;
    }
    case Effect::Clock:
      set_results(slot, issue.insn, Wait::until(issue.now + issue.insn.latency, Stall::AluDependency));
      break;
    case Effect::Barrier:
      if (issue.lanes == 0) break;
      observer_.arrives(slot, done.arrival.barrier);
      if (done.arrival.waits) warps_.suspend(slot, WarpStatus::AtBarrier, Stall::Barrier);
      if (machine_.issue.barrier_arrival_cycles != 0) [[unlikely]]
        next = arrives(next);
      prepare_all(done.arrival.released, Wait::until(next.cycle() + machine_.issue.barrier_latency, Stall::Barrier));
      if (done.arrival.waits) return;
      break;
    case Effect::Fence:
      if (cluster_ != nullptr) [[unlikely]]
        next = Wait::until(std::max(next.cycle(), cluster_->last_access()), Stall::Fence);
      if (issue.warp.outstanding_stores == 0) break;
      return warps_.suspend(slot, WarpStatus::AtFence, Stall::Fence);
    case Effect::RuntimeCall:
      if (done.waits) return warps_.suspend(slot, WarpStatus::RuntimeCall, Stall::GlobalDependency);
      if (issue.lanes == 0) break;
      next = Wait::until(std::max(next.cycle(), issue.now + machine_.runtime.call_cycles), Stall::GlobalDependency);
      break;
    case Effect::Exit:
      if (issue.lanes != 0) return exited(issue, done.exited, next.cycle());
      next = Wait::until(issue.sub_core.free(), Stall::AluDependency);
      break;
    case Effect::None:
    case Effect::Nop:
    case Effect::Load:
    case Effect::Store:
    case Effect::Atomic:
    case Effect::AsyncCopy:
    case Effect::BulkCopy:
    case Effect::Async:
    case Effect::Texture:
    case Effect::Collective:
    case Effect::Trap: break;
    case Effect::AsyncMatrix:
      if (done.moved) return await_warp(issue, next);
      if (issue.lanes != 0) product_begins(issue);
      break;
    case Effect::Matrix:
      if (done.moved) return await_warp(issue, next);
      break;
  }
  prepare(slot, next);
}

/// The SM takes the arrivals of its warps at barriers one after the other: when it has taken that of a warp.
template <class Policy>
Wait Sm<Policy>::arrives(Wait at) {
  barriers_free_ = std::max(barriers_free_, at.cycle()) + machine_.issue.barrier_arrival_cycles;
  return Wait::until(barriers_free_, Stall::Barrier);
}

/// Some lanes have come to an instruction of the whole warp and wait for the others, of which some may go on.
template <class Policy>
void Sm<Policy>::await_warp(const Issue& issue, Wait next) {
  if (issue.warp.barrier != kNoBarrier) return warps_.suspend(issue.slot, WarpStatus::AtBarrier, Stall::Barrier);
  prepare(issue.slot, next);
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
void Sm<Policy>::exited(const Issue& issue, SmState::Exited exited, Cycle end) {
  const Cycle after = issue.sub_core.free();
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
  if (warps_.with(WarpStatus::AtMbarrier) != 0) [[unlikely]] {
    wake_async(after + machine_.issue.barrier_latency);  // at the barrier of a cluster
    if (cluster_ != nullptr && !exited.block_done) tell_cluster(issue.warp.slot_of_block, issue.now);
  }
  prepare_all(exited.released, Wait::until(after + machine_.issue.barrier_latency, Stall::Barrier));
  if (exited.block_done)
    ended_.push_back(
        {issue.now, static_cast<uint16_t>(state_.index()), static_cast<uint16_t>(issue.warp.slot_of_block)});
}

}  // namespace warptime::sim
