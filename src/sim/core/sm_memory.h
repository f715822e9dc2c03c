// Instructions that access memory, and the effects of answers of the memory system and the caches. Definitions of
// sm.h's templates, only for sm_life.h. load_store_timing.h has the outstanding accesses, state/load_store.h the
// values.
#pragma once

#include <algorithm>
#include <bit>

#include "sim/core/sm.h"

namespace warptime::sim {

/// The most common loads, in a few host instructions: from shared memory, by all lanes, with an address that the warp
/// has cached. False: another kind of load, and nothing is done.
template <class Policy>
bool Sm<Policy>::load_cached(SubCore& sub_core, uint32_t slot, Warp& warp, const NativeInsn& insn, const Insn& value,
                             Cycle now) {
  if (!load_store_.load_cached(value, warp)) return false;
  ++counters_of(slot).shared.accesses;
  IssueCost cost{insn.issue_cycles, insn.pipe_cycles, insn.latency};
  const bool is_operand = insn.is_operand;
  if (is_operand) cost_.set_operand(slot, insn.writes[0], 1);
  else cost = cost_.shared(insn, detail(slot, insn), machine_.sm.shared.cycles_per_degree, 1);
  Stall reason = is_operand ? Stall::AluDependency : Stall::SharedDependency;
  hold(sub_core, slot, insn, warp.stack.pc(), now, cost.issue, cost.pipe);
  set_results(slot, insn, Wait::until(now + cost.latency, reason));
  return true;
}

/// A load, store or atomic operation.
template <class Policy>
void Sm<Policy>::access(const Issue& issue) {
  const NativeInsn& insn = issue.insn;
  const Insn& value = issue.value;
  if (value.access().of_warp && state_.wait_for_warp(issue.slot)) [[unlikely]]
    return await_warp(issue, hold_and_retire(issue));
  if (issue.lanes == 0) access_.clear();
  else if (!load_store_.access(value, issue.warp, issue.slot, issue.lanes, access_, fault_)) {
    if (!fault_.raised) return access_others(issue);
    fault_.is_store = insn.effect != ptx::Effect::Load;
    return access_fault(issue);
  }
  SmCounters& counters = counters_of(issue.slot);
  counters.accessed(value, count_lanes(issue.lanes), access_);
  if (counters.has_lines()) [[unlikely]]
    counters.accessed_by(issue.pc, value, issue.lanes, access_, load_store_);
  if (insn.is_operand) {
    operand_read(issue);
    return go_to_next(issue, hold_and_retire(issue));
  }
  bool atomic = insn.effect == ptx::Effect::Atomic;
  IssueCost cost{insn.issue_cycles, insn.pipe_cycles, insn.issue_cycles};
  Stall reason = Stall::GlobalDependency;
  if (atomic && insn.detail != 0) [[unlikely]]
    note_atomic(detail(issue.slot, insn));
  if (access_.on_chip) {
    const SharedConfig& shared = machine_.sm.shared;
    const NativeDetail& detail = this->detail(issue.slot, insn);
    bool in_constant =
        access_.chip_space == ptx::Space::Const ||
        (access_.chip_space == ptx::Space::Param && machine_.sm.parameter_space == ParameterSpace::constant);
    cost = in_constant ? cost_.constant(insn, detail, access_.conflict_degree)
                       : cost_.shared(insn, detail, atomic ? shared.atomic_cycles : shared.cycles_per_degree,
                                      access_.conflict_degree);
    if (insn.is_uniform) [[unlikely]]
      cost = {insn.issue_cycles, 0, machine_.constant.uniform_cache.load_latency};
    if (atomic) cost.latency += detail.more_latency;
    reason = access_.chip_space == ptx::Space::Shared ? Stall::SharedDependency : Stall::ConstantDependency;
  }
  if (access_.off_chip) cost.pipe = std::max(1u, access_.count) * machine_.memory.request_cycles;
  hold_part(issue.sub_core, issue.slot, insn, issue.pc, issue.now, cost.issue, cost.pipe);
  if (insn.effect == ptx::Effect::Load || (atomic && value.atomic().has_result)) {
    Wait result = Wait::until(issue.now + cost.latency, reason);
    if (access_.off_chip) result = insn.by_latency ? result : Wait::unknown(Stall::GlobalDependency);
    else if (access_.count != 0) [[unlikely]]
      result = insn.is_uniform ? read_uniform(issue, cost.latency)
                               : read_lines(ReadKind::Constant, issue, cost.latency, Stall::ConstantDependency);
    set_results(issue.slot, insn, result);
  }
  if (access_.off_chip) {
    const uint32_t load = under_way_.send(issue.slot, issue.pc, access_, issue.now);
    observer_.sent(issue.slot, issue.pc, value, access_, load, issue.now);
    if (under_way_.kept_stores()) [[unlikely]] {
      under_way_.take_kept_stores([&](PendingStore& store) {
        observer_.visible(issue.slot, store, issue.now);
        load_store_.stores().release(&store);
      });
      write_back_local(issue.now);
    }
  }
  go_to_next(issue, retire(issue));
}

/// An on-chip load whose readers use the words as operands in memory, so that the cost is theirs.
template <class Policy>
void Sm<Policy>::operand_read(const Issue& issue) {
  SIM_DEBUG_ASSERT(!access_.off_chip, "an operand in global memory");
  const NativeInsn& insn = issue.insn;
  // Each reader of a vector's element reads only that element.
  uint32_t degree = access_.conflict_degree;
  if (insn.write_count > 1) degree = (degree + insn.write_count - 1) / insn.write_count;
  for (unsigned i = 0; i < insn.write_count; ++i)
    cost_.set_operand(issue.slot, kernel_of(issue.slot).program->write(insn, i), degree);
  Wait result = Wait::until(issue.now + insn.latency, Stall::AluDependency);
  if (access_.count != 0) result = read_lines(ReadKind::Constant, issue, insn.latency, Stall::ConstantDependency);
  set_results(issue.slot, insn, result);
}

/// A texture fetch: the lines of all lanes' texels.
template <class Policy>
void Sm<Policy>::texture(const Issue& issue) {
  const NativeInsn& insn = issue.insn;
  access_.clear_transactions();
  if (issue.lanes != 0 && !load_store_.texture(issue.value, issue.warp, issue.lanes, access_, fault_))
    return access_fault(issue);
  if (counters_of(issue.slot).has_lines() && issue.lanes != 0) [[unlikely]]
    ++counters_of(issue.slot).lines[issue.pc].memory.accesses;
  uint32_t pipe_cycles = issue.lanes != 0 ? machine_.texture.cycles : 0;
  hold_part(issue.sub_core, issue.slot, insn, issue.pc, issue.now, insn.issue_cycles, pipe_cycles);
  Wait result = Wait::until(issue.now + insn.issue_cycles, Stall::TextureDependency);
  if (access_.count != 0) result = read_lines(ReadKind::Texture, issue, 0, Stall::TextureDependency);
  else if (issue.lanes != 0)
    result = Wait::until(issue.now + machine_.texture.tpc_cache.latency, Stall::TextureDependency);
  set_results(issue.slot, insn, result);
  go_to_next(issue, retire(issue));
}

template <class Policy>
Wait Sm<Policy>::read_lines(ReadKind kind, const Issue& issue, uint32_t latency, Stall reason) {
  uint32_t load = 0;
  const Wait result = under_way_.read_lines(kind, issue.slot, issue.pc, access_, latency, reason, issue.now, load);
  if (!result.known()) observer_.sent(issue.slot, issue.pc, issue.value, access_, load, issue.now);
  return result;
}

/// Before a uniform constant is read, its line has to be in the cache of the sub-core, or to have come for this warp.
/// While it waits, the warp issues nothing. A line that comes for another warp may be replaced before it is there.
template <class Policy>
bool Sm<Policy>::waits_for_line(SubCore& sub_core, uint32_t slot, const NativeInsn& native, Cycle now) {
  using State = TpcCaches::UniformLine::State;
  UniformRead& read = uniform_reads_[slot];
  const Warp& warp = state_.warp(slot);
  const uint32_t pc = warp.stack.pc(), lanes = warp.guarded(warp.code[pc]);
  if (lanes == 0) return false;
  if (read == UniformRead::Requested) read = UniformRead::There;
  if (read == UniformRead::There) return false;
  const Insn& insn = warp.code[pc];
  const TpcCaches::UniformLine line =
      under_way_.find_uniform(slot, pc,
                              {.sub_core = sub_core.index(),
                               .address = load_store_.uniform_address(insn, warp, lanes),
                               .is_parameter = insn.access().space == ptx::Space::Param},
                              now);
  if (line.state == State::There) read = UniformRead::There;
  if (line.state == State::Requested) read = UniformRead::Requested;
  if (line.state == State::There || line.state == State::Far) return false;
  // Until now it has waited for something else.
  observe_wait(sub_core, slot, native, now);
  charge_gap(sub_core, slot, native, pc, now);
  sub_core.idle_until(now);
  if constexpr (Policy::kStalls) warps_[slot].accounted = std::max(warps_[slot].accounted, now);
  ready_.take(slot);
  wake_at(slot, Wait::until(line.ready, Stall::ConstantDependency));
  return true;
}

template <class Policy>
Wait Sm<Policy>::read_uniform(const Issue& issue, uint32_t latency) {
  if (std::exchange(uniform_reads_[issue.slot], UniformRead::None) == UniformRead::There)
    return Wait::until(issue.now + latency, Stall::ConstantDependency);
  uint32_t load = 0;
  const Wait result = under_way_.fetch_uniform(issue.slot, issue.pc, access_, latency, issue.now, load);
  if (!result.known()) observer_.sent(issue.slot, issue.pc, issue.value, access_, load, issue.now);
  return result;
}

/// What its native instruction says of the atomic operation that issues.
template <class Policy>
void Sm<Policy>::note_atomic(const NativeDetail& detail) {
  if (access_.on_chip) {
    if (detail.combined) access_.conflict_degree = 1;
    return;
  }
  for (uint32_t i = 0; i < access_.count; ++i) {
    auto& atomic = static_cast<PendingAtomic&>(*access_.stores[i]);
    atomic.combined = detail.combined;
    atomic.floating = detail.floating;
  }
}

/// The access of lane `fault_.thread` is illegal.
template <class Policy>
void Sm<Policy>::access_fault(const Issue& issue) {
  fault_.cycle = issue.now;
  state_.locate(fault_, issue.slot, fault_.kind == Fault::Kind::PartialWarp ? issue.lanes : 1u << fault_.thread);
}

/// If the warp's load may read words that an outstanding atomic operation of this SM changes, suspends the warp until
/// that is complete.
template <class Policy>
bool Sm<Policy>::waits_for_atomic(uint32_t slot) {
  const Warp& warp = state_.warp(slot);
  const Insn& insn = warp.code[warp.stack.pc()];
  uint32_t lanes = warp.guarded(insn);
  if ((insn.effect != ptx::Effect::Load && insn.effect != ptx::Effect::AsyncCopy) || lanes == 0 ||
      !load_store_.reads_pending_atomic(insn, warp, lanes))
    return false;
  ready_.take(slot);
  warps_.suspend(slot, WarpStatus::BeforeAtomic, Stall::GlobalDependency);
  return true;
}

template <class Policy>
void Sm<Policy>::respond(const Response& response) {
  if (response.store == nullptr) return answered(response.tag, response.cycle, response.from_cache);
  observer_.visible(LoadStoreTiming::slot_of(response.tag), *response.store, response.cycle);
  KernelOnSm& kernel = *kernels_[response.store->launch];
  --kernel.outstanding_stores;
  kernel.answered = std::max(kernel.answered, response.cycle);
  if (response.atomic) return atomic_done(response);
  load_store_.stores().release(response.store);
  acknowledged(response.tag, response.cycle);
}

template <class Policy>
void Sm<Policy>::filled(uint32_t waiter, Cycle cycle, bool from_cache) {
  if (LoadStoreTiming::is_load(waiter)) return answered(LoadStoreTiming::load_of(waiter), cycle, from_cache);
  wake_at(waiter, Wait::until(cycle, Stall::InstructionFetch));
}

/// Lines of local memory that the L1 has replaced and that were stored to go to the next level, sector by sector or as
/// a whole. Those of a launch that has ended are dead.
template <class Policy>
void Sm<Policy>::write_back_local(Cycle now) {
  under_way_.take_evicted([&](const TpcCaches::Evicted& line) {
    if (!has(line.launch)) return;
    const uint32_t sectors = machine_.l1.cache.line_bytes / kStoredSector;
    const bool whole = line.dirty == (1u << sectors) - 1;
    for (uint32_t sector = 0; sector < sectors; sector += whole ? sectors : 1) {
      if ((line.dirty >> sector & 1) == 0) continue;
      PendingStore* store = load_store_.stores().add(line.line + Addr{sector} * kStoredSector);
      ++kernels_[line.launch]->outstanding_stores;
      under_way_.send_write_back(*store, whole ? machine_.l1.cache.line_bytes : kStoredSector, line.launch, now);
    }
  });
}

template <class Policy>
void Sm<Policy>::l1_filled(Cycle cycle) {
  write_back_local(cycle);
  const bool unblocked =
      under_way_.mshr_freed(cycle, [&](uint32_t load, Cycle ready) { answered(load, ready, false); });
  if (unblocked) wake_all(cycle);
}

/// One of the load's transactions or lines has arrived.
template <class Policy>
void Sm<Policy>::answered(uint32_t load, Cycle cycle, bool from_cache) {
  observer_.answered(load, cycle);
  if (LoadStoreTiming::EndedLoad of = under_way_.answered(load, cycle, from_cache); of.ended) {
    if (warps_.is(of.slot, WarpStatus::AwaitsLoad)) prepare(of.slot, latest(warps_[of.slot].earliest, of.result));
    wake(sub_core_of(of.slot), cycle);
    if ((warps_.with(WarpStatus::AtCopies) | warps_.with(WarpStatus::AtMbarrier)) != 0) [[unlikely]]
      wake_async(of.result.cycle());
  }
  if (under_way_.unblocks_pipe(cycle)) wake_all(cycle);
}

/// One of a warp's stores or atomic operations is complete.
template <class Policy>
void Sm<Policy>::acknowledged(uint32_t tag, Cycle cycle) {
  uint32_t slot = under_way_.acknowledged(tag);
  if (slot == LoadStoreTiming::kNoSlot || !warps_.is(slot, WarpStatus::AtFence)) return;
  prepare(slot, Wait::until(cycle, Stall::Fence));
  wake(sub_core_of(slot), cycle);
}

/// An atomic operation is complete: its old words have arrived, and loads that waited for it may be checked again.
template <class Policy>
void Sm<Policy>::atomic_done(const Response& response) {
  const auto& atomic = static_cast<const PendingAtomic&>(*response.store);
  if (atomic.load != PendingAtomic::kNoLoad) {
    under_way_.write_result(atomic);
    answered(atomic.load, response.cycle);
  }
  acknowledged(response.tag, response.cycle);
  load_store_.atomics().release(atomic);
  for (uint64_t rest = warps_.with(WarpStatus::BeforeAtomic); rest != 0; rest &= rest - 1) {
    auto slot = static_cast<uint32_t>(std::countr_zero(rest));
    warps_.set(slot, WarpStatus::Runnable);
    wake_at(slot, Wait::until(response.cycle, Stall::GlobalDependency));
  }
}

/// The warp's next instruction, which was ready before, may issue after `wait`.
template <class Policy>
void Sm<Policy>::wake_at(uint32_t slot, Wait wait) {
  warps_[slot].wait = wait;
  ready_.schedule(slot, wait.cycle());
  wake(sub_core_of(slot), wait.cycle());
}

}  // namespace warptime::sim
