// Asynchronous copies and mbarrier objects on an SM. A copy is a load without a register: it occupies the memory port
// for its transactions, and the table of loads until they have been answered; bulk copies are the copy engine's, where
// the machine has one. A wait for groups, or at an mbarrier
// object, does not issue before it is over; a try_wait gives up after a time, which it may name itself. Definitions of
// sm.h's templates, only for sm_life.h.
#pragma once

#include <algorithm>
#include <bit>

#include "sim/core/sm.h"

namespace warptime::sim {

/// How long a try_wait waits that does not say so: PTX leaves it to the machine. Assumed.
inline constexpr double kTryWaitMicroseconds = 10;

template <class Policy>
void Sm<Policy>::copy(const Issue& issue) {
  const NativeInsn& insn = issue.insn;
  if (issue.lanes == 0) access_.clear();
  else if (!load_store_.copy(issue.value, issue.warp, issue.lanes, state_.async(), access_, fault_))
    return access_fault(issue);
  SmCounters& counters = counters_of(issue.slot);
  counters.accessed(issue.value, count_lanes(issue.lanes), access_);
  if (counters.has_lines()) [[unlikely]]
    counters.accessed_by(issue.pc, issue.value, issue.lanes, access_, load_store_);
  const uint32_t pipe_cycles = std::max(1u, access_.count) * machine_.memory.request_cycles;
  hold_part(issue.sub_core, issue.slot, insn, issue.pc, issue.now, insn.issue_cycles, pipe_cycles);
  if (access_.off_chip) {
    state_.async().completes(access_.copy, kNever);
    const uint32_t load = under_way_.send(issue.slot, issue.pc, access_, issue.now);
    observer_.sent(issue.slot, issue.pc, issue.value, access_, load, issue.now);
  } else if (issue.lanes != 0) {  // zeros
    state_.async().completes(access_.copy, issue.now + 1);
  }
  go_to_next(issue, retire(issue));
}

/// Part of a bulk copy, for the line of the instruction: it has no fewer transactions than its bytes need.
inline void count_part(LineMemory& line, uint32_t bytes, const MemoryAccess& part) {
  line.transactions += part.count;
  line.ideal_transactions += part.count;
  line.bytes_requested += bytes;
  for (uint32_t i = 0; i < part.count; ++i) {
    const Transaction& transaction = part.transactions[i];
    line.bytes_moved += transaction.granules == 0 ? transaction.bytes : transaction.bytes_of_granules();
  }
}

/// The lanes of which each makes a copy.
inline uint32_t copying_lanes(const BulkCopyPayload& payload, uint32_t lanes) {
  const bool once = payload.detail != nullptr && payload.detail->of_warp;
  return once ? lanes & -lanes : lanes;
}

/// A copy to shared memory begins, one for each block that gets it. Returns the number of the first, which has the
/// parts of all; kNone: it goes to global memory, or to a block that has ended.
template <class Policy>
uint32_t Sm<Policy>::begin_bulk(const Issue& issue, uint32_t lane, const LoadStore::BulkRange& range) {
  uint32_t id = AsyncCopies::kNone;
  if (!issue.value.bulk_copy().to_shared) return id;
  if (cluster_ != nullptr && kernel_of(issue.slot).launch->clusters_apart) return begin_bulk_apart(issue, lane, range);
  state_.for_bulk_targets(issue.warp, range.block, range.blocks, [&](uint32_t block) {
    const uint32_t copy = load_store_.begin_bulk(issue.value, issue.warp, lane, range, block, state_.async());
    state_.async().bulk(copy).ready = kNever;
    if (id != AsyncCopies::kNone) return state_.async().join(id, copy);
    id = copy;
    state_.async().bulk(id).parts = 1;
  });
  return id;
}

/// Calls send(bytes) for each part of a copy: its transactions are in access_.
template <class Policy>
template <class Send>
void Sm<Policy>::send_bulk(const Issue& issue, const LoadStore::BulkRange& range, uint32_t id, const Send& send) {
  const BulkCopyPayload& payload = issue.value.bulk_copy();
  // Within shared memory, or to a block that has ended.
  if (payload.to_shared && (payload.from_shared || id == AsyncCopies::kNone)) return;
  SmCounters& counters = counters_of(issue.slot);
  for (uint32_t begin = 0; begin < range.extent;) {
    const LoadStore::BulkPart part = load_store_.bulk_part(issue.value, range, begin, access_);
    counters.copied(access_, payload.to_shared, range.reduce != nullptr, part.bytes);
    if (counters.has_lines()) [[unlikely]]
      count_part(counters.lines[issue.pc].memory, part.bytes, access_);
    begin = part.next;
    access_.copy = id;
    if (id != AsyncCopies::kNone) ++state_.async().bulk(id).parts;
    send(part.bytes);
  }
}

/// When what registers or shared memory have is in the shared memory of a block, without a copy engine.
template <class Policy>
Cycle Sm<Policy>::in_shared(const Issue& issue, uint32_t id) {
  const bool leaves = is_registers(issue.value.bulk_copy()) && state_.async().bulk(id).is_outgoing();
  return issue.now + (leaves ? machine_.cluster.async_latency : machine_.sm.shared.load_latency);
}

/// A bulk copy, or one for each lane: all of its transactions one after the other.
template <class Policy>
void Sm<Policy>::bulk_copy(const Issue& issue) {
  const NativeInsn& insn = issue.insn;
  if (insn.unit == ptx::Unit::CopyEngine) return copy_by_engine(issue);
  SmCounters& counters = counters_of(issue.slot);
  uint32_t sent = 0;
  for (uint32_t rest = copying_lanes(issue.value.bulk_copy(), issue.lanes); rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    LoadStore::BulkRange range;
    if (!load_store_.find_bulk(issue.value, issue.warp, lane, range, fault_)) return access_fault(issue);
    const uint32_t id = begin_bulk(issue, lane, range);
    send_bulk(issue, range, id, [&](uint32_t) {
      const Cycle at = issue.now + Cycle{sent} * machine_.memory.request_cycles;
      const uint32_t load = under_way_.send(issue.slot, issue.pc, access_, at);
      observer_.sent(issue.slot, issue.pc, issue.value, access_, load, at);
      sent += access_.count;
    });
    if (id != AsyncCopies::kNone) state_.async().completes(id, in_shared(issue, id));
  }
  if (sent != 0 && counters.has_lines()) [[unlikely]]
    ++counters.lines[issue.pc].memory.accesses;
  hold_part(issue.sub_core, issue.slot, insn, issue.pc, issue.now, insn.issue_cycles,
            std::max(1u, sent) * machine_.memory.request_cycles);
  wake_async(issue.now + machine_.sm.shared.load_latency);
  go_to_next(issue, retire(issue));
}

/// A copy for each lane, by the copy engine: the scheduler is free at once, and other warps' accesses are not held up.
template <class Policy>
void Sm<Policy>::copy_by_engine(const Issue& issue) {
  const BulkCopyPayload& payload = issue.value.bulk_copy();
  CopyEngine& engine = under_way_.copy_engine();
  SmCounters& counters = counters_of(issue.slot);
  uint32_t cycles = 0, parts = 0;
  for (uint32_t rest = copying_lanes(payload, issue.lanes); rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    LoadStore::BulkRange range;
    if (!load_store_.find_bulk(issue.value, issue.warp, lane, range, fault_)) return access_fault(issue);
    const uint32_t id = begin_bulk(issue, lane, range);
    const bool is_inside = payload.to_shared && payload.from_shared;
    engine.begin(issue.now);
    if (is_inside) engine.request(CopyEngine::Kind::InShared, range.bytes);
    send_bulk(issue, range, id, [&](uint32_t bytes) {
      Cycle at = issue.now;
      const uint32_t load = under_way_.send_copy(issue.slot, issue.pc, access_, bytes, at);
      observer_.sent(issue.slot, issue.pc, issue.value, access_, load, at);
      ++parts;
    });
    cycles += engine.end(issue.slot);
    if (id == AsyncCopies::kNone) continue;
    const Cycle done = is_inside ? engine.arrived_in_shared() : engine.sent();
    const bool leaves = state_.async().bulk(id).is_outgoing();
    state_.async().completes(id, leaves ? std::max(done, in_shared(issue, id)) : done);
    wake_async(done);
  }
  if (parts != 0 && counters.has_lines()) [[unlikely]]
    ++counters.lines[issue.pc].memory.accesses;
  hold_part(issue.sub_core, issue.slot, issue.insn, issue.pc, issue.now, issue.insn.issue_cycles, cycles);
  pipes_.block(ptx::Unit::CopyEngine, engine.room(issue.now));
  go_to_next(issue, retire(issue));
}

template <class Policy>
void Sm<Policy>::async(const Issue& issue) {
  const NativeInsn& insn = issue.insn;
  IssueCost cost{insn.issue_cycles, insn.pipe_cycles, insn.latency};
  const AsyncPayload& payload = issue.value.async();
  if (uses_mbarrier(payload.operation)) {
    const uint32_t degree = std::max(1u, count_lanes(issue.lanes));  // lanes at one object go one after the other
    cost = cost_.shared(insn, detail(issue.slot, insn), machine_.sm.shared.atomic_cycles, degree);
    counters_of(issue.slot).shared.accesses += issue.lanes != 0 ? 1 : 0;
  }
  hold_part(issue.sub_core, issue.slot, insn, issue.pc, issue.now, cost.issue, cost.pipe);
  gives_up_[issue.slot] = 0;
  uint32_t lanes = issue.lanes;
  if (cluster_ != nullptr && reaches_other_blocks(payload.operation)) [[unlikely]] {
    const std::optional<uint32_t> own = use_objects_of_others(issue);
    if (!own) return;
    lanes = *own;
  }
  NoAsyncEvents events;
  AsyncOperations operations(state_, load_store_, fault_, issue.now, false, events);
  if (lanes != 0 && !operations.perform(issue.slot, issue.value, lanes)) {
    fault_.cycle = issue.now;
    return;
  }
  set_results(issue.slot, insn, Wait::until(issue.now + cost.latency, Stall::SharedDependency));
  const Wait next = retire(issue);
  if (uses_mbarrier(payload.operation)) wake_async(issue.now + cost.latency);
  if (payload.operation == AsyncOperation::ClusterArrive) arrives_in_cluster(issue);
  if (payload.operation == AsyncOperation::BulkCommit && under_way_.copy_engine().exists() && issue.lanes != 0)
    under_way_.copy_engine().commit(issue.slot);
  go_to_next(issue, next);
}

/// Lanes have arrived at the barrier of the cluster.
template <class Policy>
void Sm<Policy>::arrives_in_cluster(const Issue& issue) {
  if (cluster_ == nullptr || !kernel_of(issue.slot).launch->clusters_apart)
    return wake_async(issue.now + machine_.issue.barrier_latency);
  if (issue.lanes != 0) tell_cluster(issue.warp.slot_of_block, cluster_->arrives(issue.now));
}

/// Whether the warp, which could issue an instruction of this kind now, waits longer.
template <class Policy>
bool Sm<Policy>::waits_for_async(uint32_t slot, Cycle now) {
  const Warp& warp = state_.warp(slot);
  const Insn& insn = warp.code[warp.stack.pc()];
  if (insn.effect == ptx::Effect::AsyncMatrix) return waits_for_products(slot, now);
  const AsyncPayload& payload = insn.async();
  const uint32_t lanes = warp.guarded(insn);
  if (cluster_ != nullptr && lanes != 0 && releases_stores(slot, insn, lanes)) [[unlikely]] {
    ready_.take(slot);
    warps_.suspend(slot, WarpStatus::AtFence, Stall::Fence);
    return true;
  }
  if (lanes != 0 && (payload.operation == AsyncOperation::WaitGroup || payload.operation == AsyncOperation::WaitAll)) {
    const uint32_t groups = payload.operation == AsyncOperation::WaitAll ? AsyncCopies::kAll : payload.count;
    const Cycle ready = state_.async().ready(warp.slot_of_block, warp.index_in_block, lanes, groups);
    if (ready > now) return suspend_async(slot, WarpStatus::AtCopies, ready);
  } else if (lanes != 0 && payload.operation == AsyncOperation::ClusterWait) {
    if (!state_.may_leave_cluster(slot, lanes)) {
      if (cluster_ != nullptr) tell_cluster(warp.slot_of_block, now);  // others may have exited since
      return suspend_async(slot, WarpStatus::AtMbarrier, kNever);
    }
  } else if (lanes != 0 && payload.operation == AsyncOperation::BulkWait && under_way_.copy_engine().exists()) {
    const Cycle ready = under_way_.copy_engine().have_been_read(slot, payload.count);
    if (ready > now) return suspend_async(slot, WarpStatus::AtCopies, ready);
  } else if (lanes != 0 && payload.operation == AsyncOperation::BulkWait && !payload.is_read && payload.count == 0 &&
             warp.outstanding_stores != 0) {
    ready_.take(slot);
    warps_.suspend(slot, WarpStatus::AtFence, Stall::AsyncWait);
    return true;
  } else if (lanes != 0 && payload.operation == AsyncOperation::TryWait) {
    NoAsyncEvents events;
    AsyncOperations operations(state_, load_store_, fault_, now, false, events);
    if (gives_up_[slot] == 0) {
      double cycles = kTryWaitMicroseconds * machine_.clocks.shader_mhz;
      if (payload.has_hint) {
        const auto lane = static_cast<uint32_t>(std::countr_zero(lanes));
        cycles = lane_of<uint32_t>(payload.hint.in(warp.values), lane) * machine_.clocks.shader_mhz / 1000;
      }
      gives_up_[slot] = now + std::max(Cycle{1}, static_cast<Cycle>(cycles));
    }
    if (gives_up_[slot] > now && !operations.is_complete(slot, insn, lanes))
      return suspend_async(slot, WarpStatus::AtMbarrier,
                           std::min(gives_up_[slot], state_.async().next_ready(warp.slot_of_block, now)));
  }
  if (!warps_.is(slot, WarpStatus::Runnable)) warps_.set(slot, WarpStatus::Runnable);
  return false;
}

/// A product of a warpgroup occupies a tensor core; its results are there some cycles behind that.
template <class Policy>
void Sm<Policy>::product_begins(const Issue& issue) {
  const AsyncMatrixPayload& payload = issue.value.async_matrix();
  if (payload.operation != AsyncMatrixPayload::Operation::Multiply) return;
  state_.products().complete_at(issue.slot, issue.now + issue.insn.pipe_cycles + issue.insn.latency);
}

/// Whether the warp, which could issue a wait for products now, waits longer.
template <class Policy>
bool Sm<Policy>::waits_for_products(uint32_t slot, Cycle now) {
  const Warp& warp = state_.warp(slot);
  const Insn& insn = warp.code[warp.stack.pc()];
  const Cycle ready = warp.guarded(insn) == 0 ? 0 : state_.products().ready(slot, insn.async_matrix().count);
  if (ready > now) return suspend_async(slot, WarpStatus::AtCopies, ready);
  if (!warps_.is(slot, WarpStatus::Runnable)) warps_.set(slot, WarpStatus::Runnable);
  return false;
}

/// The warp is looked at again at `until`, or when something may have changed before.
template <class Policy>
bool Sm<Policy>::suspend_async(uint32_t slot, WarpStatus status, Cycle until) {
  ready_.take(slot);
  warps_.suspend(slot, status, Stall::AsyncWait);
  if (until == kNever) return true;
  warps_[slot].wait = Wait::until(until, Stall::AsyncWait);
  ready_.schedule(slot, until);
  return true;
}

/// Copies have become complete, or an mbarrier object has changed: who waits is looked at again at `cycle`.
template <class Policy>
void Sm<Policy>::wake_async(Cycle cycle) {
  uint64_t rest = warps_.with(WarpStatus::AtCopies) | warps_.with(WarpStatus::AtMbarrier);
  for (; rest != 0; rest &= rest - 1) {
    const auto slot = static_cast<uint32_t>(std::countr_zero(rest));
    const Wait wait = warps_[slot].wait;
    if (wait.known() && wait.cycle() <= cycle) continue;
    if (wait.known()) ready_.cancel(slot, wait.cycle());
    wake_at(slot, Wait::until(cycle, Stall::AsyncWait));
  }
}

}  // namespace warptime::sim
