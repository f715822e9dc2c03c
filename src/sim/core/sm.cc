#include "sim/core/sm.h"

#include <algorithm>
#include <bit>
#include <tuple>

#include "sim/core/sm_memory.h"

namespace warptime::sim {

using ptx::Effect;
using ptx::Unit;

namespace {

constexpr uint32_t kNoLine = ~uint32_t{0};

}  // namespace

template <class Policy>
Sm<Policy>::Sm(const LaunchContext& launch, uint32_t sm, uint32_t sm_in_tpc, TpcMemory& memory, TpcCaches& caches)
    : machine_(*launch.machine),
      state_(launch, sm),
      load_store_(launch, sm),
      memory_(&memory),
      caches_(&caches),
      sm_in_tpc_(sm_in_tpc),
      counters_(launch.kernel->insns.size(), launch.slots_by_instruction),
      watch_(state_, load_store_),
      scoreboard_(launch.blocks_per_sm * launch.warps_per_block, launch.kernel->slots()),
      pipes_(*launch.machine),
      rows_(launch.kernel->rows),
      operand_steps_(size_t{launch.blocks_per_sm} * launch.warps_per_block * rows_, 1) {
  const IssueConfig& issue = machine_.issue;
  one_port_ = issue.ports == 1;
  dual_ = issue.dual;
  for (uint32_t i = 0; i < issue.ports; ++i) ports_.push_back({i, 0, kNever, 0, WarpPicker(issue, i)});
  for (uint32_t place = 0; place < ReadySet::kMaxWarps; ++place) {
    port_of_[place] = static_cast<uint8_t>(place % issue.ports);
    port_of(place).warps |= uint64_t{1} << place;
  }
  if (uint32_t line = caches.line_bytes(ReadKind::Instruction); line != 0)
    code_shift_ = static_cast<uint32_t>(std::countr_zero(std::max(1u, line / machine_.instruction.bytes)));
  ended_.reserve(launch.blocks_per_sm * 64);
  if (launch.kernel->calls_runtime) runtime_calls_ = std::make_unique<RuntimeCalls>(launch);
}

template <class Policy>
void Sm<Policy>::begin_step(Cycle begin) {
  trace_queue(begin);
  if (!queue_full_) return;
  Cycle look = begin;
  if (!has_room_ && !table_full_ && !memory_->has_room(sm_in_tpc_, 1, begin))
    look = memory_->next_room(sm_in_tpc_, begin);
  pipes_.block(Unit::Memory, look);
  if (look != kNever) wake_ports(look);
}

template <class Policy>
void Sm<Policy>::start_block(uint64_t block, uint32_t slot, Cycle start) {
  for (uint64_t rest = state_.start_block(block, slot); rest != 0; rest &= rest - 1) {
    auto place = static_cast<uint32_t>(std::countr_zero(rest));
    port_of(place).picker.started(place);
    live_ |= uint64_t{1} << place;
    started_[place] = start;
    scoreboard_.clear(place);
    accounted_[place] = start;
    if constexpr (Policy::kStalls) counters_.warp_cycles.resident -= start;
    trace_.starts(place, start, block, state_.warp(place).index_in_block);
    code_line_[place] = caches_->caches(ReadKind::Instruction) ? kNoLine : 0;
    prepare(place, Wait::until(start, Stall::NoWarp));
    wake_port(port_of(place), start);
  }
}

/// Of ports with the same cycle, the one that issued longest ago: nobody starves at a pipe that they share.
template <class Policy>
typename Sm<Policy>::Port& Sm<Policy>::first_port() {
  Port* first = &ports_[0];
  if (one_port_) [[likely]]
    return *first;
  for (Port& port : ports_)
    if (std::tie(port.next, port.free) < std::tie(first->next, first->free)) first = &port;
  return *first;
}

template <class Policy>
void Sm<Policy>::wake_port(Port& port, Cycle cycle) {
  port.next = std::min(port.next, std::max(cycle, port.free));
  next_ = std::min(next_, port.next);
}

template <class Policy>
Cycle Sm<Policy>::run(Cycle limit, Cycle turn) {
  // The second of two that issue together, and the trace's look at the queue, are not told apart.
  if (Policy::Trace::kOn || machine_.issue.dual) limit = std::min(limit, turn);
  turn_ = turn;
  Port* port = &first_port();
  while (port->next < limit && step(*port, port->next))
    if (!one_port_) port = &first_port();
  next_ = first_port().next;
  if (fault_.raised) [[unlikely]]
    next_ = kNever;
  return next_;
}

template <class Policy>
bool Sm<Policy>::step(Port& port, Cycle now) {
  uint64_t ready = ready_.at(now) & port.warps;
  uint64_t eligible = ready & ~pipes_.blocked(port.index, now);
  uint64_t for_memory = eligible & pipes_.warps(Unit::Memory);
  bool looks_for_room = for_memory != 0 && !has_room_;
  if (looks_for_room || (eligible & unfetched_) != 0) {
    if (now >= turn_) return false;
    if (looks_for_room && !memory_has_room(now)) eligible &= ~for_memory;
    if ((eligible & unfetched_) != 0) [[unlikely]] {
      uint64_t waiting = fetch(eligible & unfetched_, now);
      eligible &= ~waiting;
      ready &= ~waiting;
    }
  }
  if (eligible == 0) {
    port.next = std::min(ready_.next_wake(), pipes_.next_free(ready, port.index, now));
    return true;
  }
  uint32_t place = port.picker.choose(eligible, ~live_ | blocked_ | parked_);
  Warp& warp = state_.warp(place);
  const Insn& insn = state_.insn(warp.stack.pc());
  if (insn.outward && now >= turn_) return false;
  port.picker.issues(place);
  if (insn.outward && !load_store_.atomics().empty() && waits_for_atomic(place)) [[unlikely]]
    return true;
  issue(port, place, warp, insn, now);
  if (dual_) issue_second(port, place, now);
  port.next = std::max(now, port.free);
  return !fault_.raised;
}

/// Issues the warp's next instruction, too, if it could issue now.
template <class Policy>
void Sm<Policy>::issue_second(Port& port, uint32_t place, Cycle now) {
  uint64_t bit = uint64_t{1} << place;
  if (fault_.raised || ((live_ & ~blocked_ & ~fenced_ & ~unfetched_) & bit) == 0) return;
  if (waits_[place].cycle() > port.free) return;  // a result, a branch, a barrier
  const Insn& insn = state_.insn(state_.warp(place).stack.pc());
  bool plain = insn.effect == Effect::None || insn.effect == Effect::Collective || insn.effect == Effect::Load ||
               insn.effect == Effect::Store;
  if (!plain || scoreboard_.needed(place, insn).cycle() > now || pipes_.free(insn.unit, port.index) > now) return;
  if (insn.unit == Unit::Memory && ((!has_room_ && !memory_has_room(now)) || !load_store_.atomics().empty())) return;
  ready_.cancel(place, waits_[place].cycle());
  issue(port, place, state_.warp(place), insn, now, true);
}

template <class Policy>
uint64_t Sm<Policy>::fetch(uint64_t places, Cycle now) {
  uint64_t wait = 0;
  unfetched_ &= ~places;
  for (; places != 0; places &= places - 1) {
    auto place = static_cast<uint32_t>(std::countr_zero(places));
    uint32_t line = state_.insn(state_.warp(place).stack.pc()).code >> code_shift_;
    Addr address = state_.launch().code_base + (Addr{line} << code_shift_) * machine_.instruction.bytes;
    code_line_[place] = line;
    Cycle ready = caches_->read(ReadKind::Instruction, sm_in_tpc_, address, place, now);
    if (ready <= now) continue;
    wait |= uint64_t{1} << place;
    ready_.take(place);
    trace_wait(port_of(place), place, state_.insn(state_.warp(place).stack.pc()), now);
    waits_[place] = Wait::unknown(Stall::InstructionFetch);
    if (ready == kNever) continue;
    waits_[place] = Wait::until(ready, Stall::InstructionFetch);
    ready_.schedule(place, ready);
  }
  return wait;
}

template <class Policy>
Stall Sm<Policy>::busy_reason(Unit unit) const {
  switch (unit) {
    case Unit::Sp: return Stall::SpBusy;
    case Unit::Dp: return Stall::DpBusy;
    case Unit::Sfu: return Stall::SfuBusy;
    case Unit::Memory: return queue_full_ ? Stall::MemoryQueueFull : Stall::MemoryPortBusy;
    case Unit::Control: break;
  }
  return Stall::AluDependency;
}

template <class Policy>
void Sm<Policy>::charge(const Port& port, uint32_t place, const Insn& insn, uint32_t pc, Cycle now) {
  Wait wait = waits_[place];
  if constexpr (Policy::kStalls) {
    Cycle gap = now - port.free;
    if (gap > 0 && !insn.takes_no_time) {
      Stall reason = wait.cycle() >= pipes_.free(insn.unit, port.index) ? wait.reason() : busy_reason(insn.unit);
      // Beside warps that were there all the time, a new one is not what the port had to wait for: its first
      // instruction is.
      if (reason == Stall::NoWarp && had_warps_at(port, port.free)) reason = Stall::InstructionFetch;
      SlotCounters& row = reason == Stall::NoWarp ? counters_.no_instruction() : counters_.slots_of(pc);
      row.stalls[static_cast<size_t>(reason)] += gap;
    }
    WarpCycles& cycles = counters_.warp_cycles;
    Cycle from = accounted_[place], able = std::clamp(wait.cycle(), from, now);
    cycles.waiting[static_cast<size_t>(wait.reason())] += able - from;
    cycles.not_selected += now - able;
  }
}

template <class Policy>
bool Sm<Policy>::had_warps_at(const Port& port, Cycle cycle) const {
  for (uint64_t rest = live_ & port.warps; rest != 0; rest &= rest - 1)
    if (started_[static_cast<size_t>(std::countr_zero(rest))] <= cycle) return true;
  return false;
}

template <class Policy>
void Sm<Policy>::held(Port& port, const Insn& insn, uint32_t pc, Cycle now, uint32_t issue_cycles,
                      uint32_t pipe_cycles) {
  if (insn.takes_no_time) return;
  // The second of two that issue together adds only what it holds the port longer.
  Cycle from = std::max(now, port.free), until = std::max(port.free, now + issue_cycles);
  port.free = until;
  counters_.slots_of(pc).issued += until - from;
  counters_.pipe_busy[static_cast<size_t>(insn.unit)] += pipe_cycles;
  if (insn.unit == Unit::Memory) queue_full_ = false;
  pipes_.take(insn.unit, port.index, now + pipe_cycles);
  if (insn.sp_cycles != 0) {
    counters_.pipe_busy[static_cast<size_t>(Unit::Sp)] += insn.sp_cycles;
    pipes_.take(Unit::Sp, port.index, std::max(now, pipes_.free(Unit::Sp, port.index)) + insn.sp_cycles);
  }
}

template <class Policy>
void Sm<Policy>::issue(Port& port, uint32_t place, Warp& warp, const Insn& insn, Cycle now, bool with_another) {
  uint32_t pc = warp.stack.pc();
  uint32_t lanes = warp.guarded(insn);
  uint32_t active = warp.stack.active();
  if (!with_another) {
    ready_.take(place);
    trace_wait(port, place, insn, now);
    charge(port, place, insn, pc, now);
  }
  counters_.executed(pc, count_lanes(lanes));

  if (insn.effect == Effect::None) [[likely]] {
    if (lanes != 0) insn.run(warp.values, insn, lanes);
    computed(port, place, insn, pc, now);
  } else if (!(insn.may_be_cached && lanes == kFullMask && load_remembered(port, place, warp, insn, now))) {
    return issue_other(port, place, warp, insn, lanes, now);
  }
  warp.stack.advance();
  warp.forget(insn);
  prepare(place, warp, issued(port, place, pc, active, lanes, now));
}

/// An instruction's values are there: the port, the pipe and its results are taken.
template <class Policy>
void Sm<Policy>::computed(Port& port, uint32_t place, const Insn& insn, uint32_t pc, Cycle now) {
  Cost cost{insn.issue_cycles, insn.pipe_cycles, insn.latency};
  if (insn.reads_memory) cost = with_operands(place, insn);
  scoreboard_.set_results(place, insn, Wait::until(now + cost.latency, Stall::AluDependency));
  held(port, insn, pc, now, cost.issue, cost.pipe);
}

/// What an issue leaves behind in statistics and the trace; when the warp's next instruction may issue.
template <class Policy>
Wait Sm<Policy>::issued(const Port& port, uint32_t place, uint32_t pc, uint32_t active, uint32_t lanes, Cycle now) {
  Cycle after = std::max(now, port.free);
  trace_.issued(place, pc, active, lanes, after);
  trace_queue(now);
  if constexpr (Policy::kStalls) {
    counters_.warp_cycles.issuing += after - std::max(now, accounted_[place]);
    accounted_[place] = after;
  }
  return Wait::until(after, Stall::AluDependency);
}

/// The rest of an issue that is neither arithmetic nor a load as most are.
template <class Policy>
void Sm<Policy>::issue_other(Port& port, uint32_t place, Warp& warp, const Insn& insn, uint32_t lanes, Cycle now) {
  uint32_t pc = warp.stack.pc();
  uint32_t active = warp.stack.active();
  if (insn.effect == Effect::Clock) {
    state_.set_clocks(warp, now);
    watch_.did_anything();
    if (lanes != 0) insn.run(warp.values, insn, lanes);
    scoreboard_.set_results(place, insn, Wait::until(now + insn.latency, Stall::AluDependency));
    held(port, insn, pc, now, insn.issue_cycles, insn.pipe_cycles);
    warp.stack.advance();
  } else if (insn.effect == Effect::Collective) {
    state_.collective(place, insn, lanes, fault_);
    if (fault_.raised) {
      fault_.cycle = now;
      return;
    }
    computed(port, place, insn, pc, now);
  } else if (insn.effect == Effect::Load || insn.effect == Effect::Store || insn.effect == Effect::Atomic) {
    if (!access(port, place, insn, lanes, now)) return;
    warp.stack.advance();
  } else if (insn.effect == Effect::Texture) {
    if (!fetch_texture(port, place, insn, lanes, now)) return;
    warp.stack.advance();
  } else {
    held(port, insn, pc, now, insn.issue_cycles, insn.pipe_cycles);
  }

  warp.forget(insn);
  Wait next = issued(port, place, pc, active, lanes, now);
  Cycle after = next.cycle();
  switch (insn.effect) {
    case Effect::None:
    case Effect::Clock:
    case Effect::Collective:
    case Effect::Load:
    case Effect::Store:
    case Effect::Atomic:
    case Effect::Texture: break;
    case Effect::Nop: warp.stack.advance(); break;
    case Effect::Branch: {
      bool parted = warp.stack.branch(lanes, insn.target, insn.reconvergence);
      if (watch_.on()) [[unlikely]]
        watch_.jumped(place, pc);
      if (insn.guard != kNoPredicate) ++counters_.divergence.branches;
      if (parted) ++counters_.divergence.divergent_branches;
      next = Wait::until(std::max(after, now + insn.latency), Stall::InstructionFetch);
      break;
    }
    case Effect::IndexedBranch:
    case Effect::Call:
    case Effect::Return:
      state_.jump(place, insn, lanes, counters_.divergence, fault_);
      if (fault_.raised) {
        fault_.cycle = now;
        return;
      }
      if (watch_.on()) [[unlikely]]
        watch_.jumped(place, pc);
      next = Wait::until(std::max(after, now + insn.latency), Stall::InstructionFetch);
      break;
    case Effect::Barrier: {
      if (lanes == 0) {
        warp.stack.advance();
        break;
      }
      watch_.arrived(place, insn);
      SmState::Arrival arrival = state_.arrive(place, lanes, insn, fault_);
      if (fault_.raised) {
        fault_.cycle = now;
        return;
      }
      warp.stack.advance();
      trace_.arrives(place, arrival.barrier);
      if (arrival.waits) {
        waits_[place] = Wait::unknown(Stall::Barrier);
        parked_ |= uint64_t{1} << place;
      }
      wake(arrival.released, Wait::until(after + machine_.issue.barrier_latency, Stall::Barrier));
      if (arrival.waits) return;
      break;
    }
    case Effect::Fence:
      warp.stack.advance();
      if (warp.outstanding_stores > 0) {
        fenced_ |= uint64_t{1} << place;
        waits_[place] = Wait::unknown(Stall::Fence);
        parked_ |= uint64_t{1} << place;
        return;
      }
      break;
    case Effect::RuntimeCall:
      if (lanes != 0) next = call_runtime(place, insn, lanes, now, after);
      if (fault_.raised) return;
      warp.stack.advance();
      if (!next.known()) {
        waits_[place] = next;
        parked_ |= uint64_t{1} << place;
        return;
      }
      break;
    case Effect::Exit: leave(port, place, lanes, now); return;
    case Effect::Trap:
      if (lanes != 0) {
        fault_.kind = Fault::Kind::Trap;
        fault_.raised = true;
        fault_.cycle = now;
        state_.locate(fault_, place, lanes);
        return;
      }
      warp.stack.advance();
      break;
  }
  prepare(place, warp, next);
}

template <class Policy>
Wait Sm<Policy>::call_runtime(uint32_t place, const Insn& insn, uint32_t lanes, Cycle now, Cycle after) {
  if (runtime_calls_->call(state_, load_store_, place, insn, lanes, now, fault_))
    return Wait::unknown(Stall::GlobalDependency);
  fault_.cycle = now;
  return Wait::until(std::max(after, now + machine_.runtime.call_cycles), Stall::GlobalDependency);
}

template <class Policy>
bool Sm<Policy>::answer(const HeapRequest& request, DeviceHeap& heap, Cycle ready) {
  if (!runtime_calls_->answer(request, state_, heap, fault_)) return false;
  prepare(request.place, Wait::until(ready, Stall::GlobalDependency));
  wake_port(port_of(request.place), ready);
  return true;
}

template <class Policy>
void Sm<Policy>::leave(const Port& port, uint32_t place, uint32_t lanes, Cycle now) {
  if (lanes == 0) {
    state_.warp(place).stack.advance();
    prepare(place, Wait::until(port.free, Stall::AluDependency));
    return;
  }
  SmState::Exited exited = state_.exit(place, lanes, fault_);
  if (exited.warp_done) {
    live_ &= ~(uint64_t{1} << place);
    if constexpr (Policy::kStalls) counters_.warp_cycles.resident += accounted_[place];
    trace_.ends(place);
  } else prepare(place, Wait::until(port.free, Stall::InstructionFetch));
  wake(exited.released, Wait::until(port.free + machine_.issue.barrier_latency, Stall::Barrier));
  if (exited.block_done) {
    uint32_t slot = state_.warp(place).slot_of_block;
    ended_.push_back({now, static_cast<uint16_t>(state_.index()), static_cast<uint16_t>(slot)});
  }
}

template <class Policy>
void Sm<Policy>::wake(uint64_t places, Wait wait) {
  for (; places != 0; places &= places - 1) prepare(static_cast<uint32_t>(std::countr_zero(places)), wait);
}

template <class Policy>
void Sm<Policy>::prepare(uint32_t place, Wait earliest) {
  prepare(place, state_.warp(place), earliest);
}

template <class Policy>
void Sm<Policy>::prepare(uint32_t place, const Warp& warp, Wait earliest) {
  const Insn& insn = state_.insn(warp.stack.pc());
  uint64_t bit = uint64_t{1} << place;
  Wait wait = latest(earliest, scoreboard_.first_needed(place, insn));
  if (insn.waits_for_more) [[unlikely]] {
    wait = latest(wait, scoreboard_.needed(place, insn));
    if (insn.effect == Effect::Call || insn.effect == Effect::RuntimeCall || insn.effect == Effect::Return)
      wait = latest(wait, scoreboard_.needed(place, state_.launch().kernel->linkages[insn.linkage].waits));
    // A warp leaves only when nothing is on its way to its registers.
    if (insn.effect == Effect::Exit && warp.outstanding_loads > 0) wait = Wait::unknown(Stall::GlobalDependency);
  }
  waits_[place] = wait;
  if ((parked_ & bit) != 0) [[unlikely]] {
    trace_.released(place, warp.stack.pc(), earliest.cycle(), earliest.reason());
    parked_ &= ~bit;
  }
  pipes_.wants(place, insn.unit);
  // Its last instruction was fetched, or this one has been looked at before.
  if (insn.code >> code_shift_ != code_line_[place]) [[unlikely]]
    unfetched_ |= bit;
  if (wait.known()) [[likely]] {
    blocked_ &= ~bit;
    if (one_port_) [[likely]]
      return ready_.schedule(place, wait.cycle(), ports_[0].free);
    ready_.schedule(place, wait.cycle());
    wake_port(port_of(place), wait.cycle());
  } else {
    blocked_ |= bit;
    earliest_[place] = earliest;
  }
}

template <class Policy>
SmCounters Sm<Policy>::counters() const {
  return with_resident(counters_);
}

template <class Policy>
SmCounters Sm<Policy>::take_counters() {
  return with_resident(std::move(counters_));
}

template <class Policy>
SmCounters Sm<Policy>::with_resident(SmCounters out) const {
  // Of warps that are there their beginning is counted, but not yet their end.
  if constexpr (Policy::kStalls)
    for (uint64_t rest = live_; rest != 0; rest &= rest - 1)
      out.warp_cycles.resident += accounted_[static_cast<size_t>(std::countr_zero(rest))];
  return out;
}

template <class Policy>
void Sm<Policy>::finish(Cycle end) {
  if constexpr (Policy::kStalls)
    for (const Port& port : ports_)
      counters_.no_instruction().stalls[static_cast<size_t>(Stall::Drained)] += end - port.free;
}

template class Sm<Attributed>;
template class Sm<Unattributed>;
template class Sm<Traced>;
template class Sm<Counted>;

}  // namespace warptime::sim
