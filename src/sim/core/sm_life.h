// The life of an instruction on an SM: a sub-core selects a warp; the instruction issues, executes and retires; then
// the warp's next instruction is prepared, which determines when it may issue, or what it waits for. step() and issue()
// do this; the functions that they call follow them. Definitions of sm.h's templates: sm.cc instantiates them for every
// build of an SM; a program with its own observer includes this file.
#pragma once

#include <algorithm>
#include <bit>

#include "sim/core/sm.h"
#include "sim/core/sm_async.h"
#include "sim/core/sm_attribution.h"
#include "sim/core/sm_cluster.h"
#include "sim/core/sm_effects.h"
#include "sim/core/sm_memory.h"

namespace warptime::sim {

/// Issues one instruction of the sub-core at `now`, or determines when it may be able to issue one. False: the SM must
/// stop, because of a fault or because the instruction needs a shared resource beyond the limit.
template <class Policy>
bool Sm<Policy>::step(SubCore& sub_core, Cycle now) {
  const CodeEntry* entry = nullptr;
  uint32_t slot = select(sub_core, now, &entry);
  if (slot == kNobody) return true;
  if (slot == kBeyondLimit) return false;
  issue(sub_core, slot, state_.warp(slot), *entry, now);
  if (is_dual_) issue_second(sub_core, slot, now);
  sub_core.issued(now);
  return !fault_.raised;
}

/// `is_second`: of two that issue together (dual issue).
template <class Policy>
void Sm<Policy>::issue(SubCore& sub_core, uint32_t slot, Warp& warp, const CodeEntry& value, Cycle now,
                       bool is_second) {
  // Issue: the cycles since the last issue are charged to the reasons of the warp's wait.
  uint32_t pc = warp.stack.pc();
  const NativeInsn& insn = value.native;
  uint32_t lanes = warp.guarded(value);
  uint32_t active = warp.stack.active();
  if (!is_second) {
    ready_.take(slot);
    observe_wait(sub_core, slot, insn, now);
    charge_gap(sub_core, slot, insn, pc, now);
  }
  observe_issue(slot, pc, active, lanes, now);
  observe_access(slot, warp, value, pc, lanes, now);

  // Execute: the values are computed at once; sub-core and pipe are occupied, and results delayed, as on the hardware.
  if (insn.is_plain) [[likely]] {
    counters_of(slot).executed(pc, lanes, warp.stack.live());
    warp.forget(value);
    if (lanes != 0) value.run(warp.values, value, lanes);
    computed(sub_core, slot, insn, pc, now);
  } else {
    counters_of(slot).executed(pc, executing(value, active, lanes), warp.stack.live());
    // All but arithmetic and the most common loads are executed and retired by their effect's function.
    if (!(insn.may_be_cached && lanes == kFullMask && load_cached(sub_core, slot, warp, insn, value, now)))
      return execute_other(sub_core, slot, warp, lanes, now);
    warp.forget(value);
  }

  // Retire: the warp goes to its next instruction.
  warp.stack.advance();
  Wait earliest = retire(sub_core, slot, insn, pc, active, lanes, now);
  prepare(slot, warp, earliest);
}

/// The slot of the warp that issues at `now`, and the instruction.
template <class Policy>
uint32_t Sm<Policy>::select(SubCore& sub_core, Cycle now, const CodeEntry** selected) {
  uint64_t ready = ready_.at(now) & sub_core.slots();
  uint64_t eligible = ready & ~pipes_.blocked(sub_core.index(), now);
  uint64_t for_memory = eligible & pipes_.warps(ptx::Unit::Memory);
  bool needs_check = for_memory != 0 && !under_way_.room_known();
  if (needs_check || (eligible & fetch_.missing()) != 0) {
    if (now >= shared_access_limit_) return kBeyondLimit;
    if (needs_check && !under_way_.check_room(now)) eligible &= ~for_memory;
    if ((eligible & fetch_.missing()) != 0) [[unlikely]] {
      uint64_t waiting = fetch(eligible & fetch_.missing(), now);
      eligible &= ~waiting;
      ready &= ~waiting;
    }
  }
  if (eligible == 0) {
    sub_core.sleep_until(std::min(ready_.next_wake(), pipes_.next_free(ready, sub_core.index(), now)));
    return kNobody;
  }
  uint32_t slot = sub_core.picker().choose(eligible, ~warps_.with(WarpStatus::Runnable));
  const CodeEntry& entry = next_insn(slot);
  const NativeInsn& insn = entry.native;
  *selected = &entry;
  if (insn.outward && now >= shared_access_limit_) return kBeyondLimit;
  sub_core.picker().issues(slot);
  const bool may_wait = insn.effect == ptx::Effect::Async || insn.effect == ptx::Effect::AsyncMatrix;
  if (insn.outward && (may_wait ? waits_for_async(slot, now)
                                : (!load_store_.atomics().empty() && waits_for_atomic(slot)) ||
                                      (insn.is_uniform && waits_for_line(sub_core, slot, insn, now)))) [[unlikely]]
    return kNobody;
  return slot;
}

/// After the values are computed: occupies sub-core and pipe, and marks the results in the scoreboard.
template <class Policy>
void Sm<Policy>::computed(SubCore& sub_core, uint32_t slot, const NativeInsn& insn, uint32_t pc, Cycle now) {
  IssueCost cost{insn.issue_cycles, insn.pipe_cycles, insn.latency};
  if (insn.reads_memory) cost = cost_.with_operands(slot, insn, detail(slot, insn).operands);
  set_results(slot, insn, Wait::until(now + cost.latency, Stall::AluDependency));
  hold(sub_core, slot, insn, pc, now, cost.issue, cost.pipe);
}

/// Updates the warp and the statistics after an instruction. Returns when the warp's next one may issue.
template <class Policy>
Wait Sm<Policy>::retire(const SubCore& sub_core, uint32_t slot, const NativeInsn& insn, uint32_t pc, uint32_t active,
                        uint32_t lanes, Cycle now) {
  Cycle after = std::max(now, sub_core.free());
  observer_.issued(slot, pc, active, executing(state_.warp(slot).code[pc], active, lanes), after);
  observe_queue(now);
  if constexpr (Policy::kStalls) {
    Cycle& accounted = warps_[slot].accounted;
    counters_of(slot).warp_cycles.issuing += after - std::max(now, accounted);
    accounted = after;
  }
  // No gap ends with an instruction that takes no time: what its warp waited for is charged with the next one.
  if (insn.takes_no_time()) [[unlikely]]
    return Wait::until(after, warps_[slot].wait.reason());
  return Wait::until(after, Stall::AluDependency);
}

/// Determines when the warp's next instruction may issue, not before `earliest`.
template <class Policy>
void Sm<Policy>::prepare(uint32_t slot, const Warp& warp, Wait earliest) {
  if constexpr (Observer::kOn) observer_.prepared(slot, warp.stack);
  const uint32_t pc = warp.stack.pc();
  const NativeInsn& insn = warp.code[pc].native;
  Wait wait = latest(earliest, scoreboard_.first_needed(slot, insn));
  if (insn.waits_for_more) [[unlikely]] {
    const KernelOnSm& kernel = *warps_[slot].kernel;
    wait = latest(wait, scoreboard_.needed(slot, *kernel.program, insn));
    // One that waits for a load comes here again.
    if (const uint32_t gap = kernel.program->detail(insn).gap; gap != 0 && warps_.is(slot, WarpStatus::Runnable)) {
      earliest = latest(earliest, Wait::until(earliest.cycle() + gap, Stall::AluDependency));
      wait = latest(wait, earliest);
    }
    if (info(insn.effect).passes_registers)
      wait = latest(wait,
                    scoreboard_.needed(slot, kernel.launch->kernel->linkages[warp.code[pc].linkage().linkage].waits));
    // A warp leaves only when no load to its registers is outstanding.
    if (insn.effect == ptx::Effect::Exit && warp.outstanding_loads > 0) wait = Wait::unknown(Stall::GlobalDependency);
  }
  warps_[slot].wait = wait;
  if (!warps_.is(slot, WarpStatus::Runnable)) [[unlikely]] {
    if (warps_.is_suspended(slot)) observer_.released(slot, warp.stack.pc(), earliest.cycle(), earliest.reason());
    warps_.set(slot, WarpStatus::Runnable);
  }
  pipes_.needs(slot, insn.unit);
  fetch_.next(slot, insn);
  if (wait.known()) [[likely]] {
    if (is_single_) [[likely]]
      return ready_.schedule(slot, wait.cycle(), sub_cores_[0].free());
    ready_.schedule(slot, wait.cycle());
    wake(sub_core_of(slot), wait.cycle());
  } else {
    warps_.set(slot, WarpStatus::AwaitsLoad);
    warps_[slot].earliest = earliest;
  }
}

template <class Policy>
void Sm<Policy>::prepare_all(uint64_t slots, Wait earliest) {
  for (; slots != 0; slots &= slots - 1) prepare(static_cast<uint32_t>(std::countr_zero(slots)), earliest);
}

/// Also issues the warp's next instruction, if it could issue now (dual issue).
template <class Policy>
void Sm<Policy>::issue_second(SubCore& sub_core, uint32_t slot, Cycle now) {
  if (fault_.raised || !warps_.is(slot, WarpStatus::Runnable) || ((fetch_.missing() >> slot) & 1) != 0) return;
  Wait wait = warps_[slot].wait;
  if (wait.cycle() > sub_core.free()) return;  // a result, a branch, a barrier
  const CodeEntry& entry = next_insn(slot);
  const NativeInsn& insn = entry.native;
  if (!info(insn.effect).pairs || scoreboard_.needed(slot, *warps_[slot].kernel->program, insn).cycle() > now ||
      pipes_.free(insn.unit, sub_core.index()) > now)
    return;
  if (insn.unit == ptx::Unit::Memory && !under_way_.room_known() && !under_way_.check_room(now)) return;
  if (insn.unit == ptx::Unit::Memory && !load_store_.atomics().empty()) return;
  ready_.cancel(slot, wait.cycle());
  issue(sub_core, slot, state_.warp(slot), entry, now, true);
}

/// Reads the lines of these warps' next instructions. Returns the warps that must wait for theirs.
template <class Policy>
uint64_t Sm<Policy>::fetch(uint64_t slots, Cycle now) {
  uint64_t waiting = 0;
  for (; slots != 0; slots &= slots - 1) {
    auto slot = static_cast<uint32_t>(std::countr_zero(slots));
    const NativeInsn& insn = next_insn(slot).native;
    Cycle ready = fetch_.read(slot, *warps_[slot].kernel->launch, insn, now);
    if (ready <= now) continue;
    waiting |= uint64_t{1} << slot;
    ready_.take(slot);
    observe_wait(sub_core_of(slot), slot, insn, now);
    Wait& wait = warps_[slot].wait;
    wait = Wait::unknown(Stall::InstructionFetch);
    if (ready == kNever) continue;
    wait = Wait::until(ready, Stall::InstructionFetch);
    ready_.schedule(slot, ready);
  }
  return waiting;
}

template <class Policy>
Sm<Policy>::Sm(const MachineConfig& machine, const DeviceMemory& device_memory, uint32_t sm, uint32_t sm_in_tpc,
               TpcMemory& memory, TpcCaches& caches)
    : machine_(machine),
      state_(machine, sm),
      load_store_(machine, device_memory, sm),
      watch_(state_, load_store_),
      scoreboard_(state_.warp_slots()),
      pipes_(machine),
      is_single_(machine_.issue.ports == 1),
      is_dual_(machine_.issue.dual),
      warps_(machine_.issue.ports),
      fetch_(machine, sm_in_tpc, caches),
      cost_(machine_, state_.warp_slots()),
      under_way_(machine, state_, warps_, sm_in_tpc, memory, caches, scoreboard_, pipes_) {
  for (uint32_t i = 0; i < machine_.issue.ports; ++i) sub_cores_.emplace_back(machine_.issue, i);
  ended_.reserve(size_t{machine.sm.max_blocks} * 64);
}

template <class Policy>
void Sm<Policy>::admit(const LaunchContext& launch) {
  if (has(launch.number)) return;
  if (launch.number >= kernels_.size()) kernels_.resize(launch.number + 1);
  kernels_[launch.number] = std::make_unique<KernelOnSm>(launch);
  state_.admit(launch);
  scoreboard_.require(launch.kernel->slots());
  cost_.require(launch.kernel->rows);
  if (launch.kernel->calls_runtime && runtime_calls_ == nullptr)
    runtime_calls_ = std::make_unique<RuntimeCalls>(machine_);
  if (launch.clusters_apart && cluster_ == nullptr) cluster_ = std::make_unique<ClusterLink>(machine_);
}

template <class Policy>
void Sm<Policy>::begin_step(Cycle begin) {
  observe_queue(begin);
  step_begin_ = begin;
  if (Cycle poll = 0; under_way_.begin_step(begin, &poll)) wake_all(poll);
}

template <class Policy>
void Sm<Policy>::start_block(uint64_t block, const SmState::Room& room, Cycle start) {
  state_.start_block(block, room);
  KernelOnSm& kernel = *kernels_[room.launch];
  for (uint64_t rest = room.warps; rest != 0; rest &= rest - 1) {
    auto slot = static_cast<uint32_t>(std::countr_zero(rest));
    SubCore& sub_core = sub_core_of(slot);
    sub_core.picker().started(slot);
    if (kernel.warps == 0) {
      kernel.active_from = std::max(start, kernel.active_to);
      kernel.counters.sm_cycles.active -= kernel.active_from;
    }
    kernel.warps |= uint64_t{1} << slot;
    kernel.counters.sm_cycles.warps -= start;
    warps_.start(slot, kernel, start);
    scoreboard_.clear(slot);
    if constexpr (Policy::kStalls) kernel.counters.warp_cycles.resident -= start;
    observer_.starts(slot, start, block, state_.warp(slot).index_in_block);
    fetch_.start(slot);
    if (under_way_.copy_engine().exists()) under_way_.copy_engine().start(slot);
    prepare(slot, Wait::until(start, Stall::NoWarp));
    wake(sub_core, start);
  }
}

template <class Policy>
SubCore& Sm<Policy>::first_sub_core() {
  SubCore* first = &sub_cores_[0];
  if (is_single_) [[likely]]
    return *first;
  for (SubCore& sub_core : sub_cores_)
    if (sub_core.goes_before(*first)) first = &sub_core;
  return *first;
}

template <class Policy>
Cycle Sm<Policy>::run(Cycle limit, Cycle shared_access_limit) {
  // The needs of the second instruction of a dual issue, and a trace's query of the queue, are not known in advance.
  if (Observer::kOn || is_dual_) limit = std::min(limit, shared_access_limit);
  shared_access_limit_ = shared_access_limit;
  SubCore* sub_core = &first_sub_core();
  while (sub_core->next() < limit && step(*sub_core, sub_core->next()))
    if (!is_single_) sub_core = &first_sub_core();
  next_ = first_sub_core().next();
  if (fault_.raised) [[unlikely]] {
    observer_.faults(fault_);
    next_ = kNever;
  }
  return next_;
}

}  // namespace warptime::sim
