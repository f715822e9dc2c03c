#include "sim/core/sm.h"

#include <algorithm>
#include <bit>
#include <tuple>

namespace warptime::sim {

using ptx::Effect;
using ptx::Unit;

namespace {

// A store's tag says who waits for its acknowledgement: the warp's place and which of its successive warps.
constexpr uint32_t kNoLine = ~uint32_t{0};

constexpr uint32_t store_tag(uint32_t place, uint32_t generation) { return place | (generation << 8); }

}  // namespace

template <class Policy>
Sm<Policy>::Sm(const LaunchContext& launch, uint32_t sm, uint32_t sm_in_tpc, TpcMemory& memory, TpcCaches& caches)
    : machine_(*launch.machine),
      state_(launch, sm),
      load_store_(launch, sm),
      memory_(&memory),
      caches_(&caches),
      sm_in_tpc_(sm_in_tpc),
      counters_(launch.kernel->insns.size()),
      scoreboard_(launch.blocks_per_sm * launch.warps_per_block, launch.kernel->slots()),
      pipes_(*launch.machine) {
  const IssueConfig& issue = machine_.issue;
  for (uint32_t i = 0; i < issue.ports; ++i) ports_.push_back({i, 0, kNever, 0, WarpPicker(issue, i)});
  for (uint32_t place = 0; place < ReadySet::kMaxWarps; ++place) {
    port_of_[place] = static_cast<uint8_t>(place % issue.ports);
    port_of(place).warps |= uint64_t{1} << place;
  }
  if (uint32_t line = caches.line_bytes(ReadKind::Instruction); line != 0)
    code_shift_ = static_cast<uint32_t>(std::countr_zero(std::max(1u, line / machine_.instruction.bytes)));
  ended_.reserve(launch.blocks_per_sm * 64);
}

template <class Policy>
void Sm<Policy>::begin_step(Cycle begin) {
  trace_queue(begin);
  if (!queue_full_) return;
  pipes_.block(Unit::Memory, begin);
  wake_ports(begin);
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
bool Sm<Policy>::memory_has_room(Cycle now) {
  table_full_ = loads_in_table_ >= machine_.memory.pending_loads ||
                caches_->pending(ReadKind::Data, sm_in_tpc_) >= machine_.l1.misses;
  if (!table_full_ && memory_->has_room(sm_in_tpc_, 1, now)) {
    // `queue_full_` stays until something issues, so that the gap that ends now is charged to the queue.
    return true;
  }
  queue_full_ = true;
  pipes_.block(Unit::Memory, table_full_ ? kNever : memory_->next_room(sm_in_tpc_, now));
  return false;
}

template <class Policy>
Cycle Sm<Policy>::run(Cycle limit) {
  while (next_ < limit) {
    Port& port = first_port();
    step(port, port.next);
    if (fault_.raised) [[unlikely]]
      return next_ = kNever;
    next_ = first_port().next;
  }
  return next_;
}

template <class Policy>
void Sm<Policy>::step(Port& port, Cycle now) {
  uint64_t ready = ready_.at(now) & port.warps;
  uint64_t eligible = ready & ~pipes_.blocked(port.index, now);
  uint64_t for_memory = eligible & pipes_.warps(Unit::Memory);
  if (for_memory != 0 && !memory_has_room(now)) eligible &= ~for_memory;
  if ((eligible & unfetched_) != 0) [[unlikely]] {
    uint64_t waiting = fetch(eligible & unfetched_, now);
    eligible &= ~waiting;
    ready &= ~waiting;
  }
  if (eligible == 0) {
    port.next = std::min(ready_.next_wake(), pipes_.next_free(ready, port.index, now));
    return;
  }
  uint32_t place = port.picker.pick(eligible, ~live_ | blocked_ | parked_);
  if (!load_store_.atomics().empty() && waits_for_atomic(place)) [[unlikely]]
    return;
  issue(port, place, now);
  if (machine_.issue.dual) issue_second(port, place, now);
  port.next = port.free;
}

/// Puts the warp aside until an atomic operation of this SM is back, if its load may read what that changes.
template <class Policy>
bool Sm<Policy>::waits_for_atomic(uint32_t place) {
  const Warp& warp = state_.warp(place);
  const Insn& insn = state_.insn(warp.stack.pc());
  uint32_t lanes = warp.guarded(insn);
  if (insn.effect != Effect::Load || lanes == 0 || !load_store_.reads_pending_atomic(insn, warp, lanes)) return false;
  ready_.take(place);
  waits_[place] = Wait::unknown(Stall::GlobalDependency);
  before_atomic_ |= uint64_t{1} << place;
  parked_ |= uint64_t{1} << place;
  return true;
}

/// Issues the warp's next instruction, too, if it could issue now.
template <class Policy>
void Sm<Policy>::issue_second(Port& port, uint32_t place, Cycle now) {
  uint64_t bit = uint64_t{1} << place;
  if (fault_.raised || ((live_ & ~blocked_ & ~fenced_ & ~unfetched_) & bit) == 0) return;
  if (waits_[place].cycle() > port.free) return;  // a result, a branch, a barrier
  const Insn& insn = state_.insn(state_.warp(place).stack.pc());
  bool plain = insn.effect == Effect::None || insn.effect == Effect::Load || insn.effect == Effect::Store;
  if (!plain || scoreboard_.needed(place, insn).cycle() > now || pipes_.free(insn.unit, port.index) > now) return;
  if (insn.unit == Unit::Memory && (!memory_has_room(now) || !load_store_.atomics().empty())) return;
  ready_.cancel(place, waits_[place].cycle());
  issue(port, place, now, true);
}

template <class Policy>
uint64_t Sm<Policy>::fetch(uint64_t places, Cycle now) {
  uint64_t wait = 0;
  unfetched_ &= ~places;
  for (; places != 0; places &= places - 1) {
    auto place = static_cast<uint32_t>(std::countr_zero(places));
    uint32_t line = state_.warp(place).stack.pc() >> code_shift_;
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
void Sm<Policy>::filled(uint32_t waiter, Cycle cycle) {
  if ((waiter & kLoadWaiter) != 0) return answered(waiter & ~kLoadWaiter, cycle);
  waits_[waiter] = Wait::until(cycle, Stall::InstructionFetch);
  ready_.schedule(waiter, cycle);
  wake_port(port_of(waiter), cycle);
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
    if (gap > 0) {
      Stall reason = wait.cycle() >= pipes_.free(insn.unit, port.index) ? wait.reason() : busy_reason(insn.unit);
      // Beside warps that were there all the time, a new one is not what the port had to wait for: its first
      // instruction is.
      if (reason == Stall::NoWarp && had_warps_at(port, port.free)) reason = Stall::InstructionFetch;
      InstructionCounters& row = reason == Stall::NoWarp ? counters_.no_instruction() : counters_.instructions[pc];
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
  // The second of two that issue together adds only what it holds the port longer.
  Cycle from = std::max(now, port.free), until = std::max(port.free, now + issue_cycles);
  port.free = until;
  counters_.instructions[pc].issued += until - from;
  if (insn.unit == Unit::Sp) counters_.pipes.sp += pipe_cycles;
  else if (insn.unit == Unit::Sfu) counters_.pipes.sfu += pipe_cycles;
  else if (insn.unit == Unit::Dp) counters_.pipes.dp += pipe_cycles;
  else if (insn.unit == Unit::Memory) counters_.pipes.memory_port += pipe_cycles;
  if (insn.unit == Unit::Memory) queue_full_ = false;
  pipes_.take(insn.unit, port.index, now + pipe_cycles);
}

template <class Policy>
void Sm<Policy>::issue(Port& port, uint32_t place, Cycle now, bool with_another) {
  Warp& warp = state_.warp(place);
  uint32_t pc = warp.stack.pc();
  const Insn& insn = state_.insn(pc);
  uint32_t lanes = warp.guarded(insn);
  uint32_t active = warp.stack.active();
  if (!with_another) {
    ready_.take(place);
    trace_wait(port, place, insn, now);
    charge(port, place, insn, pc, now);
  }
  uint32_t lane_count = lanes == kFullMask ? kWarpSize : static_cast<uint32_t>(std::popcount(lanes));
  counters_.executed(pc, lane_count);

  if (insn.effect == Effect::None) [[likely]] {
    if (lanes != 0) insn.run(warp.values, insn, lanes);
    scoreboard_.set_results(place, insn, Wait::until(now + insn.latency, Stall::AluDependency));
    held(port, insn, pc, now, insn.issue_cycles, insn.pipe_cycles);
    warp.stack.advance();
  } else if (insn.effect == Effect::Load || insn.effect == Effect::Store || insn.effect == Effect::Atomic) {
    if (!access(port, place, insn, lanes, now)) return;
    warp.stack.advance();
  } else {
    held(port, insn, pc, now, insn.issue_cycles, insn.pipe_cycles);
  }

  Cycle after = port.free;
  trace_.issued(place, pc, active, lanes, after);
  trace_queue(now);
  if constexpr (Policy::kStalls) {
    counters_.warp_cycles.issuing += after - std::max(now, accounted_[place]);
    counters_.warp_cycles.resident += after - accounted_[place];
    accounted_[place] = after;
  }
  Wait next = Wait::until(after, Stall::AluDependency);
  switch (insn.effect) {
    case Effect::None:
    case Effect::Collective:
    case Effect::Load:
    case Effect::Store:
    case Effect::Atomic: break;
    case Effect::Nop: warp.stack.advance(); break;
    case Effect::Branch: {
      bool parted = warp.stack.branch(lanes, insn.target, insn.reconvergence);
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
      next = Wait::until(std::max(after, now + insn.latency), Stall::InstructionFetch);
      break;
    case Effect::Barrier: {
      if (lanes == 0) {
        warp.stack.advance();
        break;
      }
      uint64_t released = state_.arrive(place, lanes, insn.barrier, insn.barrier_threads, fault_);
      if (fault_.raised) {
        fault_.cycle = now;
        return;
      }
      warp.stack.advance();
      waits_[place] = Wait::unknown(Stall::Barrier);
      parked_ |= uint64_t{1} << place;
      trace_.arrives(place, insn.barrier);
      wake(released, Wait::until(after + machine_.issue.barrier_latency, Stall::Barrier));
      return;
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
  prepare(place, next);
}

template <class Policy>
void Sm<Policy>::leave(const Port& port, uint32_t place, uint32_t lanes, Cycle now) {
  if (lanes == 0) {
    state_.warp(place).stack.advance();
    prepare(place, Wait::until(port.free, Stall::AluDependency));
    return;
  }
  SmState::Exited exited = state_.exit(place, lanes);
  if (exited.warp_done) {
    live_ &= ~(uint64_t{1} << place);
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
  const Warp& warp = state_.warp(place);
  const Insn& insn = state_.insn(warp.stack.pc());
  uint64_t bit = uint64_t{1} << place;
  Wait wait = latest(earliest, scoreboard_.needed(place, insn));
  // A warp leaves only when nothing is on its way to its registers.
  if (insn.effect == Effect::Call || insn.effect == Effect::Return) [[unlikely]]
    wait = latest(wait, scoreboard_.needed(place, state_.launch().kernel->linkages[insn.linkage].waits));
  bool leaves = insn.effect == Effect::Exit;
  if (leaves && warp.outstanding_loads > 0) wait = Wait::unknown(Stall::GlobalDependency);
  waits_[place] = wait;
  if ((parked_ & bit) != 0) trace_.released(place, warp.stack.pc(), earliest.cycle(), earliest.reason());
  parked_ &= ~bit;
  earliest_[place] = earliest;
  pipes_.wants(place, insn.unit);
  if (warp.stack.pc() >> code_shift_ != code_line_[place]) unfetched_ |= bit;
  else unfetched_ &= ~bit;
  if (wait.known()) {
    blocked_ &= ~bit;
    ready_.schedule(place, wait.cycle());
    if (ports_.size() > 1) wake_port(port_of(place), wait.cycle());
  } else {
    blocked_ |= bit;
  }
}

template <class Policy>
bool Sm<Policy>::access(Port& port, uint32_t place, const Insn& insn, uint32_t lanes, Cycle now) {
  Warp& warp = state_.warp(place);
  uint32_t pc = warp.stack.pc();
  access_.on_chip = access_.off_chip = false;
  if (lanes != 0 && !load_store_.access(insn, warp, place, state_.block_of(warp), lanes, access_, fault_)) {
    uint32_t lane = fault_.thread;
    fault_.is_store = insn.effect != Effect::Load;
    fault_.cycle = now;
    state_.locate(fault_, place, 1u << lane);
    return false;
  }
  bool atomic = insn.effect == Effect::Atomic;
  bool load = insn.effect == Effect::Load || (atomic && insn.has_result);
  uint32_t issue_cycles = insn.issue_cycles, pipe_cycles = insn.pipe_cycles, latency = insn.issue_cycles;
  Stall reason = Stall::GlobalDependency;
  if (access_.on_chip) {
    const SharedConfig& shared = machine_.sm.shared;
    bool in_constant =
        access_.chip_space == ptx::Space::Const ||
        (access_.chip_space == ptx::Space::Param && machine_.sm.parameter_space == ParameterSpace::constant);
    if (in_constant) {
      issue_cycles = pipe_cycles = machine_.constant.cycles_per_address * access_.passes;
      latency = machine_.constant.load_latency + machine_.constant.cycles_per_address * (access_.passes - 1);
    } else {
      uint32_t each = atomic ? shared.atomic_cycles : shared.cycles_per_degree;
      pipe_cycles = each * access_.passes;
      if (shared.pipe == SharedPipe::sp) issue_cycles = pipe_cycles += load ? shared.base_cycles : 0;
      latency = shared.load_latency + each * (access_.passes - 1);
    }
    reason = access_.chip_space == ptx::Space::Shared ? Stall::SharedDependency : Stall::ConstantDependency;
  }
  if (access_.off_chip) pipe_cycles = std::max(1u, access_.count) * machine_.memory.request_cycles;
  held(port, insn, pc, now, issue_cycles, pipe_cycles);
  counters_.accessed(insn, static_cast<uint32_t>(std::popcount(lanes)), access_);
  if (load) {
    Wait result = access_.off_chip ? Wait::unknown(Stall::GlobalDependency) : Wait::until(now + latency, reason);
    if (!access_.off_chip && access_.count != 0) result = read_constants(place, insn, latency, now);
    scoreboard_.set_results(place, insn, result);
  }
  if (access_.off_chip) send(place, insn, now);
  return true;
}

template <class Policy>
uint32_t Sm<Policy>::begin_load(uint32_t place, const Insn& insn, Cycle now) {
  uint32_t id = loads_.take();
  loads_[id] = PendingLoad{&insn, place, access_.count, now, 0, Stall::GlobalDependency, false};
  ++state_.warp(place).outstanding_loads;
  return id;
}

template <class Policy>
void Sm<Policy>::send(uint32_t place, const Insn& insn, Cycle now) {
  Warp& warp = state_.warp(place);
  Request request;
  request.sm = static_cast<uint16_t>(state_.index());
  bool load = insn.effect == Effect::Load;
  request.atomic = insn.effect == Effect::Atomic;
  uint32_t id = PendingAtomic::kNoLoad;
  if (load || (request.atomic && insn.has_result)) {
    id = begin_load(place, insn, now);
    loads_[id].in_table = true;
    ++loads_in_table_;
  }
  request.tag = load ? id : store_tag(place, warp.generation);
  if (!load) warp.outstanding_stores += access_.count;
  bool l1 = caches_->caches(ReadKind::Data);
  for (uint32_t i = 0; i < access_.count; ++i) {
    const Transaction& transaction = access_.transactions[i];
    request.cycle = now + Cycle{i} * machine_.memory.request_cycles;
    request.address = transaction.address;
    request.word = transaction.word;
    request.bytes = transaction.bytes;
    request.group = next_group_ + transaction.half;
    request.store = load ? nullptr : access_.stores[i];
    if (request.atomic) static_cast<PendingAtomic*>(request.store)->load = id;
    if (l1 && load) {
      // A transaction lies within a line.
      Cycle ready =
          caches_->read(ReadKind::Data, sm_in_tpc_, request.address, request.tag | kLoadWaiter, request.cycle);
      if (ready == kNever) continue;
      PendingLoad& pending = loads_[request.tag];
      pending.ready = std::max(pending.ready, ready + machine_.l1.cache.latency);
      --pending.remaining;
      continue;
    }
    if (l1) caches_->store(sm_in_tpc_, request.address);
    memory_->send(sm_in_tpc_, request);
  }
  if (load && loads_[id].remaining == 0) finish_load(id);
  next_group_ += 2;
}

/// The lines of a constant load, from the constant caches; when its result may be used.
template <class Policy>
Wait Sm<Policy>::read_constants(uint32_t place, const Insn& insn, uint32_t latency, Cycle now) {
  uint32_t id = begin_load(place, insn, now);
  PendingLoad& load = loads_[id];
  load.latency = latency;
  load.reason = Stall::ConstantDependency;
  for (uint32_t i = 0; i < access_.count; ++i) {
    Addr line = access_.transactions[i].address;
    Cycle ready = caches_->read(ReadKind::Constant, sm_in_tpc_, line, id | kLoadWaiter, now);
    if (ready == kNever) continue;
    load.ready = std::max(load.ready, ready);
    --load.remaining;
  }
  if (load.remaining != 0) return Wait::unknown(Stall::ConstantDependency);
  Wait result = Wait::until(load.ready + latency, load.reason);
  finish_load(id);
  return result;
}

template <class Policy>
void Sm<Policy>::respond(const Response& response) {
  if (response.store == nullptr) return answered(response.tag, response.cycle);
  if (response.atomic) return changed(response);
  load_store_.stores().release(response.store);
  acknowledged(response.tag, response.cycle);
}

/// One of a warp's stores or atomic operations is done.
template <class Policy>
void Sm<Policy>::acknowledged(uint32_t tag, Cycle cycle) {
  uint32_t place = tag & 0xff;
  Warp& warp = state_.warp(place);
  if (tag != store_tag(place, warp.generation)) return;  // its warp has left
  if (--warp.outstanding_stores == 0 && ((fenced_ >> place) & 1) != 0) {
    fenced_ &= ~(uint64_t{1} << place);
    prepare(place, Wait::until(cycle, Stall::Fence));
    wake_port(port_of(place), cycle);
  }
}

/// An atomic operation is done: its old words are there, and loads that had to wait for it may look again.
template <class Policy>
void Sm<Policy>::changed(const Response& response) {
  const auto& atomic = static_cast<const PendingAtomic&>(*response.store);
  if (atomic.load != PendingAtomic::kNoLoad) {
    const PendingLoad& load = loads_[atomic.load];
    LoadStore::write_result(*load.insn, state_.warp(load.place), atomic);
    answered(atomic.load, response.cycle);
  }
  acknowledged(response.tag, response.cycle);
  load_store_.atomics().release(atomic);
  for (uint64_t rest = before_atomic_; rest != 0; rest &= rest - 1) {
    auto place = static_cast<uint32_t>(std::countr_zero(rest));
    waits_[place] = Wait::until(response.cycle, Stall::GlobalDependency);
    ready_.schedule(place, response.cycle);
    wake_port(port_of(place), response.cycle);
  }
  parked_ &= ~before_atomic_;
  before_atomic_ = 0;
}

/// One of the load's transactions or lines is there.
template <class Policy>
void Sm<Policy>::answered(uint32_t id, Cycle cycle) {
  PendingLoad& load = loads_[id];
  uint32_t place = load.place;
  load.ready = std::max(load.ready, cycle);
  if (--load.remaining == 0) {
    finish_load(id);
    wake_port(port_of(place), cycle);
  }
  if (!table_full_ || !queue_full_) return;
  pipes_.block(Unit::Memory, cycle);
  wake_ports(cycle);
}

template <class Policy>
void Sm<Policy>::finish_load(uint32_t id) {
  const PendingLoad load = loads_[id];
  loads_.give_back(id);
  if (load.in_table) --loads_in_table_;
  Wait result = Wait::until(load.ready + load.latency, load.reason);
  scoreboard_.set_results(load.place, *load.insn, result);
  --state_.warp(load.place).outstanding_loads;
  if (((blocked_ >> load.place) & 1) != 0) prepare(load.place, latest(earliest_[load.place], result));
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

}  // namespace warptime::sim
