// The SM's side of memory: loads, stores, atomic operations and texture fetches on their way, and what happens when
// they come back. The definitions of sm.h's templates that sm.cc leaves to this file, its only reader.
#pragma once

#include <algorithm>
#include <bit>

#include "sim/core/sm.h"

namespace warptime::sim {

// A store's tag says who waits for its acknowledgement: the warp's place and which of its successive warps.
constexpr uint32_t store_tag(uint32_t place, uint32_t generation) { return place | (generation << 8); }

template <class Policy>
bool Sm<Policy>::memory_has_room(Cycle now) {
  table_full_ = loads_in_table_ >= machine_.memory.pending_loads ||
                caches_->pending(ReadKind::Data, sm_in_tpc_) >= machine_.l1.misses;
  if (!table_full_ && memory_->has_room(sm_in_tpc_, 1, now)) {
    has_room_ = true;
    // `queue_full_` stays until something issues, so that the gap that ends now is charged to the queue.
    return true;
  }
  queue_full_ = true;
  pipes_.block(ptx::Unit::Memory, table_full_ ? kNever : memory_->next_room(sm_in_tpc_, now));
  return false;
}

/// Puts the warp aside until an atomic operation of this SM is back, if its load may read what that changes.
template <class Policy>
bool Sm<Policy>::waits_for_atomic(uint32_t place) {
  const Warp& warp = state_.warp(place);
  const Insn& insn = state_.insn(warp.stack.pc());
  uint32_t lanes = warp.guarded(insn);
  if (insn.effect != ptx::Effect::Load || lanes == 0 || !load_store_.reads_pending_atomic(insn, warp, lanes))
    return false;
  ready_.take(place);
  waits_[place] = Wait::unknown(Stall::GlobalDependency);
  before_atomic_ |= uint64_t{1} << place;
  parked_ |= uint64_t{1} << place;
  return true;
}

/// Of an access to shared memory of so many passes of `each` cycles.
template <class Policy>
typename Sm<Policy>::Cost Sm<Policy>::cost_of_shared(const Insn& insn, uint32_t each, uint32_t passes) const {
  const SharedConfig& shared = machine_.sm.shared;
  Cost cost{insn.issue_cycles, each * passes, shared.load_latency + each * (passes - 1)};
  if (shared.pipe == SharedPipe::sp) cost.issue = cost.pipe += insn.access_cycles;
  return cost;
}

/// The bulk of all loads, in a few instructions: from shared memory, by all lanes, from addresses that the warp
/// remembers. False: it is another, and nothing is done.
template <class Policy>
bool Sm<Policy>::load_remembered(Port& port, uint32_t place, Warp& warp, const Insn& insn, Cycle now) {
  if (!load_store_.load_cached(insn, warp)) return false;
  ++counters_.shared.accesses;
  Cost cost{insn.issue_cycles, insn.pipe_cycles, insn.latency};
  if (insn.is_operand) operand_steps(place, insn.first_writes[0]) = 1;
  else cost = cost_of_shared(insn, machine_.sm.shared.cycles_per_degree, 1);
  Stall reason = insn.is_operand ? Stall::AluDependency : Stall::SharedDependency;
  held(port, insn, warp.stack.pc(), now, cost.issue, cost.pipe);
  scoreboard_.set_results(place, insn, Wait::until(now + cost.latency, reason));
  return true;
}

template <class Policy>
bool Sm<Policy>::access(Port& port, uint32_t place, const Insn& insn, uint32_t lanes, Cycle now) {
  Warp& warp = state_.warp(place);
  uint32_t pc = warp.stack.pc();
  const SharedConfig& shared = machine_.sm.shared;
  if (lanes == 0) access_.clear();
  if (lanes != 0 && !load_store_.access(insn, warp, place, lanes, access_, fault_)) {
    uint32_t lane = fault_.thread;
    fault_.is_store = insn.effect != ptx::Effect::Load;
    fault_.cycle = now;
    state_.locate(fault_, place, 1u << lane);
    return false;
  }
  counters_.accessed(insn, count_lanes(lanes), access_);
  if (insn.is_operand) {
    operand_read(place, insn, now);
    held(port, insn, pc, now, insn.issue_cycles, insn.pipe_cycles);
    return true;
  }
  bool atomic = insn.effect == ptx::Effect::Atomic;
  bool load = insn.effect == ptx::Effect::Load || (atomic && insn.has_result);
  uint32_t issue_cycles = insn.issue_cycles, pipe_cycles = insn.pipe_cycles, latency = insn.issue_cycles;
  Stall reason = Stall::GlobalDependency;
  if (access_.on_chip) {
    bool in_constant =
        access_.chip_space == ptx::Space::Const ||
        (access_.chip_space == ptx::Space::Param && machine_.sm.parameter_space == ParameterSpace::constant);
    if (in_constant) {
      issue_cycles = pipe_cycles = insn.access_cycles + machine_.constant.cycles_per_address * access_.conflict_degree;
      latency = machine_.constant.load_latency + machine_.constant.cycles_per_address * (access_.conflict_degree - 1);
    } else {
      Cost cost =
          cost_of_shared(insn, atomic ? shared.atomic_cycles : shared.cycles_per_degree, access_.conflict_degree);
      issue_cycles = cost.issue;
      pipe_cycles = cost.pipe;
      latency = cost.latency;
    }
    reason = access_.chip_space == ptx::Space::Shared ? Stall::SharedDependency : Stall::ConstantDependency;
  }
  if (access_.off_chip) pipe_cycles = std::max(1u, access_.count) * machine_.memory.request_cycles;
  held(port, insn, pc, now, issue_cycles, pipe_cycles);
  if (load) {
    Wait result = access_.off_chip ? Wait::unknown(Stall::GlobalDependency) : Wait::until(now + latency, reason);
    if (!access_.off_chip && access_.count != 0)
      result = read_lines(ReadKind::Constant, place, insn, latency, Stall::ConstantDependency, now);
    scoreboard_.set_results(place, insn, result);
  }
  if (access_.off_chip) send(place, insn, now);
  return true;
}

/// A load on chip whose readers take the words from there: they have its cost.
template <class Policy>
void Sm<Policy>::operand_read(uint32_t place, const Insn& insn, Cycle now) {
  SIM_DEBUG_ASSERT(!access_.off_chip, "an operand in global memory");
  // Each reader of a vector's element reads that one only.
  uint32_t steps = access_.conflict_degree;
  if (insn.write_count > 1) steps = (steps + insn.write_count - 1) / insn.write_count;
  for (unsigned i = 0; i < insn.write_count; ++i) operand_steps(place, insn.write(i)) = static_cast<uint8_t>(steps);
  Wait result = Wait::until(now + insn.latency, Stall::AluDependency);
  if (access_.count != 0)
    result = read_lines(ReadKind::Constant, place, insn, insn.latency, Stall::ConstantDependency, now);
  scoreboard_.set_results(place, insn, result);
}

/// An instruction with operands in memory: 2 + 4 x degree cycles for one in shared memory, a step for each further
/// address of one in constant memory; its result is late by the steps.
template <class Policy>
typename Sm<Policy>::Cost Sm<Policy>::with_operands(uint32_t place, const Insn& insn) {
  Cost cost{insn.issue_cycles, insn.pipe_cycles, insn.latency};
  auto add = [&](uint32_t cycles, uint32_t late) {
    cost.issue = std::max(cost.issue, cycles);
    cost.pipe = std::max(cost.pipe, cycles);
    cost.latency += late;
  };
  if (uint16_t row = insn.operands.shared_row; row != MemoryOperands::kNone) {
    const SharedConfig& shared = machine_.sm.shared;
    uint32_t steps = operand_steps(place, row);
    add(shared.base_cycles + shared.cycles_per_degree * steps, shared.cycles_per_degree * (steps - 1));
  }
  if (uint16_t row = insn.operands.constant_row; row != MemoryOperands::kNone) {
    uint32_t steps = operand_steps(place, row), each = machine_.constant.cycles_per_address;
    if (steps > 1) add(each * steps, each * (steps - 1));
  }
  return cost;
}

template <class Policy>
void Sm<Policy>::send(uint32_t place, const Insn& insn, Cycle now) {
  Warp& warp = state_.warp(place);
  has_room_ = false;
  Request request;
  request.sm = static_cast<uint16_t>(state_.index());
  bool load = insn.effect == ptx::Effect::Load;
  request.atomic = insn.effect == ptx::Effect::Atomic;
  uint32_t id = PendingAtomic::kNoLoad;
  if (load || (request.atomic && insn.has_result)) {
    id = begin_load(place, insn, now);
    loads_[id].in_table = true;
    ++loads_in_table_;
  }
  request.tag = load ? id : store_tag(place, warp.generation);
  if (!load) warp.outstanding_stores += access_.count;
  bool l1 = caches_->caches(ReadKind::Data);
  bool plain_load = load && !l1;
  if (plain_load) {
    memory_->expect(sm_in_tpc_, id, access_.count);
    loads_[id].remaining = 1;
    request.counted = true;
  }
  for (uint32_t i = 0, alike; i < access_.count; i += alike) {
    const Transaction& transaction = access_.transactions[i];
    alike = 1;
    if (plain_load)
      while (i + alike < access_.count && access_.transactions[i + alike].equals_but_lanes(transaction)) ++alike;
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
    memory_->send(sm_in_tpc_, request, alike, machine_.memory.request_cycles);
  }
  if (load && loads_[id].remaining == 0) finish_load(id);
  next_group_ += 2;
}

template <class Policy>
uint32_t Sm<Policy>::begin_load(uint32_t place, const Insn& insn, Cycle now) {
  uint32_t id = loads_.take();
  loads_[id] = PendingLoad{&insn, place, access_.count, now, 0, Stall::GlobalDependency, false};
  ++state_.warp(place).outstanding_loads;
  return id;
}

/// The lines that access_ names, from caches of the TPC; when the load's result may be used: `latency` after the last
/// of them is there.
template <class Policy>
Wait Sm<Policy>::read_lines(ReadKind kind, uint32_t place, const Insn& insn, uint32_t latency, Stall reason,
                            Cycle now) {
  uint32_t id = begin_load(place, insn, now);
  PendingLoad& load = loads_[id];
  load.latency = latency;
  load.reason = reason;
  for (uint32_t i = 0; i < access_.count; ++i) {
    Addr line = access_.transactions[i].address;
    Cycle ready = caches_->read(kind, sm_in_tpc_, line, id | kLoadWaiter, now);
    if (ready == kNever) continue;
    load.ready = std::max(load.ready, ready);
    --load.remaining;
  }
  if (load.remaining != 0) return Wait::unknown(reason);
  Wait result = Wait::until(load.ready + latency, reason);
  finish_load(id);
  return result;
}

/// A texture fetch: the lines of all lanes' texels. False: a fault.
template <class Policy>
bool Sm<Policy>::fetch_texture(Port& port, uint32_t place, const Insn& insn, uint32_t lanes, Cycle now) {
  Warp& warp = state_.warp(place);
  access_.clear_transactions();
  if (lanes != 0 && !load_store_.texture(insn, warp, lanes, access_, fault_)) {
    fault_.cycle = now;
    state_.locate(fault_, place, 1u << fault_.thread);
    return false;
  }
  uint32_t pipe_cycles = lanes != 0 ? machine_.texture.cycles : 0;
  held(port, insn, warp.stack.pc(), now, insn.issue_cycles, pipe_cycles);
  Wait result = Wait::until(now + insn.issue_cycles, Stall::TextureDependency);
  if (access_.count != 0) result = read_lines(ReadKind::Texture, place, insn, 0, Stall::TextureDependency, now);
  else if (lanes != 0) result = Wait::until(now + machine_.texture.tpc_cache.latency, Stall::TextureDependency);
  scoreboard_.set_results(place, insn, result);
  return true;
}

template <class Policy>
void Sm<Policy>::respond(const Response& response) {
  if (response.store == nullptr) return answered(response.tag, response.cycle);
  if (response.atomic) return changed(response);
  load_store_.stores().release(response.store);
  acknowledged(response.tag, response.cycle);
}

template <class Policy>
void Sm<Policy>::filled(uint32_t waiter, Cycle cycle) {
  if ((waiter & kLoadWaiter) != 0) return answered(waiter & ~kLoadWaiter, cycle);
  waits_[waiter] = Wait::until(cycle, Stall::InstructionFetch);
  ready_.schedule(waiter, cycle);
  wake_port(port_of(waiter), cycle);
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
  pipes_.block(ptx::Unit::Memory, cycle);
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

}  // namespace warptime::sim
