// Clusters whose blocks are on several SMs: what an SM sends to the others, and what it does when a message arrives
// (cluster_message.h). Definitions of sm.h's templates, only for sm_life.h. Of other launches, nothing here is called.
//
// A load waits for its answers as for the memory system's. A store is not answered: all accesses take as long, and
// leave the SM in order, so what comes behind it (an arrival, the barrier of the cluster) finds it done. What releases
// stores to global memory waits until they are acknowledged.
#pragma once

#include <algorithm>
#include <bit>

#include "sim/core/sm.h"
#include "sim/state/access_fault.h"

namespace warptime::sim {

template <class Policy>
void Sm<Policy>::seat(uint32_t block_slot, const ClusterSeat& seat) {
  state_.seat(block_slot, seat);
}

/// A message to a block of the cluster of the block in a slot.
template <class Policy>
void Sm<Policy>::address(ClusterMessage& message, uint32_t block_slot, uint32_t rank) {
  const ClusterSeat& seat = state_.seat_of(block_slot);
  message.from = static_cast<uint16_t>(state_.index());
  message.to = seat[rank].sm;
  message.block = seat[rank].index;
  message.launch = state_.block(block_slot).kernel->launch().number;
  message.sender = seat[seat.rank()].index;
}

/// A message from the lanes of an issuing instruction to a block of its cluster.
template <class Policy>
void Sm<Policy>::address(ClusterMessage& message, const Issue& issue, uint32_t lanes, uint32_t rank) {
  address(message, issue.warp.slot_of_block, rank);
  message.lanes = lanes;
  message.thread = issue.warp.index_in_block * kWarpSize + static_cast<uint32_t>(std::countr_zero(lanes));
  message.pc = issue.pc;
}

/// The blocks of a mask of lanes: calls f(rank, its lanes).
template <class RankOf, class F>
void for_each_rank(uint32_t lanes, const RankOf& rank_of, const F& f) {
  while (lanes != 0) {
    const uint32_t rank = rank_of(static_cast<uint32_t>(std::countr_zero(lanes)));
    uint32_t same = 0;
    for_lanes_of(lanes, [&](uint32_t lane) { same |= uint32_t{rank_of(lane) == rank} << lane; });
    lanes &= ~same;
    f(rank, same);
  }
}

/// A load, store or atomic operation of which LoadStore::others() are lanes, or none.
template <class Policy>
void Sm<Policy>::access_others(const Issue& issue) {
  const NativeInsn& insn = issue.insn;
  const Insn& value = issue.value;
  const LoadStore::OtherBlocks others = load_store_.others();
  if (value.access().of_warp) {  // ldmatrix and its like read their own block's
    const auto lane = static_cast<uint32_t>(std::countr_zero(others.lanes));
    fault_at(fault_, Fault::Kind::OutOfBounds, ptx::Space::Shared, lane, others.at[lane], value.access().bytes(),
             kernel_of(issue.slot).launch->shared_bytes);
    return access_fault(issue);
  }
  const bool atomic = insn.effect == ptx::Effect::Atomic;
  const bool has_result = insn.effect == ptx::Effect::Load || (atomic && value.atomic().has_result);
  const uint32_t own = issue.lanes & ~others.lanes;
  access_.clear();
  if (own != 0 && !load_store_.access_own(value, issue.warp, issue.slot, own, access_, fault_)) {
    fault_.is_store = insn.effect != ptx::Effect::Load;
    return access_fault(issue);
  }
  access_.on_chip = true;
  access_.chip_space = ptx::Space::Shared;
  SmCounters& counters = counters_of(issue.slot);
  counters.accessed(value, count_lanes(issue.lanes), access_);
  if (counters.has_lines()) [[unlikely]]
    counters.accessed_by(issue.pc, value, issue.lanes, access_, load_store_);
  if (insn.is_operand)
    for (unsigned i = 0; i < insn.write_count; ++i)
      cost_.set_operand(issue.slot, kernel_of(issue.slot).program->write(insn, i), 1);

  const SharedConfig& shared = machine_.sm.shared;
  IssueCost cost = cost_.shared(insn, detail(issue.slot, insn),
                                atomic ? shared.atomic_cycles : shared.cycles_per_degree, access_.conflict_degree);
  cost.latency +=
      (atomic ? cluster_->config().own_atomic_latency : cluster_->config().own_load_latency) - shared.load_latency;
  uint32_t load = PendingAtomic::kNoLoad, sent = 0;
  if (others.lanes != 0) {
    const uint32_t bytes = insn.effect == ptx::Effect::Load ? cluster_->config().request_bytes : value.access().bytes();
    if (has_result) load = under_way_.begin_answers(issue.slot, issue.pc, issue.now);
    for_each_rank(
        others.lanes, [&](uint32_t lane) { return others.rank[lane]; },
        [&](uint32_t rank, uint32_t lanes) {
          const Cycle left = cluster_->leave(issue.now, bytes * count_lanes(lanes));
          const Cycle at = left + cluster_->config().access_latency;
          ClusterMessage& message = cluster_->send(ClusterMessage::Kind::Access, at);
          address(message, issue, lanes, rank);
          message.at = others.at;
          message.load = load;
          message.data.resize(size_t{count_lanes(lanes)} * LoadStore::kLaneBytes);
          LoadStore::read_operands(value, issue.warp, lanes, message.data);
          ++sent;
        });
    if (has_result) under_way_.expect_answers(load, sent);
    cost.pipe =
        std::max<uint32_t>(cost.pipe, static_cast<uint32_t>(cluster_->free() - std::min(cluster_->free(), issue.now)));
    if (watch_.on()) watch_.did_anything();
  }
  if (access_.off_chip) cost.pipe = std::max(cost.pipe, access_.count * machine_.memory.request_cycles);
  hold_part(issue.sub_core, issue.slot, insn, issue.pc, issue.now, cost.issue, cost.pipe);
  if (has_result)
    set_results(issue.slot, insn,
                others.lanes != 0 || access_.off_chip ? Wait::unknown(Stall::SharedDependency)
                                                      : Wait::until(issue.now + cost.latency, Stall::SharedDependency));
  if (access_.off_chip) {
    const uint32_t id = under_way_.send(issue.slot, issue.pc, access_, issue.now);
    observer_.sent(issue.slot, issue.pc, value, access_, id, issue.now);
  }
  const Wait next = retire(issue);
  if (!access_.off_chip || !has_result || others.lanes == 0) return go_to_next(issue, next);
  // What comes from global memory may be there first: the warp goes on when all is.
  issue.warp.stack.advance();
  cluster_->hold(issue.slot);
  warps_.suspend(issue.slot, WarpStatus::RuntimeCall, Stall::SharedDependency);
}

/// The lanes of an instruction for mbarrier objects that use their own block's. Those of others are sent there.
/// nullopt: a fault.
template <class Policy>
std::optional<uint32_t> Sm<Policy>::use_objects_of_others(const Issue& issue) {
  const AsyncPayload& payload = issue.value.async();
  MbarrierPlaces places;
  if (!find_mbarriers(state_, issue.slot, issue.value, issue.lanes, places, fault_)) {
    fault_.cycle = issue.now;
    return std::nullopt;
  }
  uint32_t remote = 0;
  for_lanes_of(issue.lanes, [&](uint32_t lane) { remote |= uint32_t{places.cluster_block[lane] != 0} << lane; });
  for_each_rank(
      remote, [&](uint32_t lane) { return places.cluster_block[lane] - 1; },
      [&](uint32_t rank, uint32_t lanes) {
        const Cycle at = std::max(issue.now, cluster_->free()) + cluster_->config().arrive_latency;
        ClusterMessage& message = cluster_->send(ClusterMessage::Kind::Object, at);
        address(message, issue, lanes, rank);
        message.at = places.at;
        for_lanes_of(lanes, [&](uint32_t lane) {
          message.counts[lane] = payload.has_value ? lane_of<uint32_t>(payload.value.in(issue.warp.values), lane) : 1;
        });
      });
  if (remote != 0 && watch_.on()) watch_.did_anything();
  return issue.lanes & ~remote;
}

/// Whether what the warp releases to others of its cluster waits for its stores to global memory.
template <class Policy>
bool Sm<Policy>::releases_stores(uint32_t slot, const Insn& insn, uint32_t lanes) {
  const AsyncPayload& payload = insn.async();
  if (payload.is_relaxed || state_.warp(slot).outstanding_stores == 0) return false;
  if (payload.operation == AsyncOperation::ClusterArrive) return true;
  if (payload.operation != AsyncOperation::Arrive) return false;
  MbarrierPlaces places;
  FaultRecord ignored;
  if (!find_mbarriers(state_, slot, insn, lanes, places, ignored)) return false;
  bool any = false;
  for_lanes_of(lanes, [&](uint32_t lane) { any |= places.cluster_block[lane] != 0; });
  return any;
}

/// If all of the block have arrived at the barrier of the cluster, it says so to all blocks.
template <class Policy>
void Sm<Policy>::tell_cluster(uint32_t block_slot, Cycle at) {
  if (!state_.block(block_slot).kernel->launch().clusters_apart) return;
  if (state_.block_arrives_in_cluster(block_slot)) tell_cluster(block_slot, state_.seat_of(block_slot).said(), at);
}

template <class Policy>
void Sm<Policy>::tell_cluster(uint32_t block_slot, uint32_t phases, Cycle at) {
  const ClusterSeat& seat = state_.seat_of(block_slot);
  const Cycle cycle = std::max(at, cluster_->free()) + cluster_->config().barrier_latency;
  for (uint32_t rank = 0; rank < seat.blocks(); ++rank) {
    if (seat[rank].sm == ClusterBlock::kNowhere) continue;
    ClusterMessage& message = cluster_->send(ClusterMessage::Kind::Barrier, cycle);
    address(message, block_slot, rank);
    message.rank = seat.rank();
    message.phases = phases;
  }
}

/// A copy to shared memory begins: what begin_bulk() returns.
template <class Policy>
uint32_t Sm<Policy>::begin_bulk_apart(const Issue& issue, uint32_t lane, const LoadStore::BulkRange& range) {
  const uint32_t block = issue.warp.slot_of_block;
  const ClusterSeat& seat = state_.seat_of(block);
  uint32_t ranks = range.block != 0 ? 1u << (range.block - 1) : range.blocks != 0 ? range.blocks : 1u << seat.rank();
  const bool stays = (ranks >> seat.rank() & 1) != 0;
  ranks &= ~(1u << seat.rank());
  AsyncCopies& copies = state_.async();
  auto begin = [&](uint32_t slot) {
    const uint32_t id = load_store_.begin_bulk(issue.value, issue.warp, lane, range, slot, copies);
    copies.bulk(id).ready = kNever;
    return id;
  };
  const uint32_t late = range.blocks != 0 ? cluster_->config().multicast_latency : 0;
  if (ranks == 0) {
    const uint32_t id = begin(block);
    copies.bulk(id).parts = 1;
    copies.bulk(id).late = late;
    return id;
  }
  const uint32_t id = begin(LoadStore::kOtherSms);
  BulkCopy& copy = copies.bulk(id);
  copy.parts = 1;
  copy.late = late;
  copy.onward = is_registers(issue.value.bulk_copy()) ? 0 : cluster_->config().copy_latency;
  copy.sent = cluster_->next_number();
  copy.sender = seat[seat.rank()].index;
  copy.launch = kernel_of(issue.slot).launch->number;
  for (; ranks != 0; ranks &= ranks - 1) {
    const ClusterBlock& to = seat[static_cast<uint32_t>(std::countr_zero(ranks))];
    if (to.sm != ClusterBlock::kNowhere) copy.targets.push_back({to.index, to.sm});
  }
  if (stays) copies.join(id, begin(block));
  if (watch_.on()) watch_.did_anything();
  return id;
}

/// At the end of a step: copies that have come for other blocks go on to them, and blocks that have ended say so.
template <class Policy>
void Sm<Policy>::end_cluster_step() {
  state_.async().take_outgoing([&](const BulkCopy& copy) {
    for (const CopyTarget& to : copy.targets) {
      ClusterMessage& message = cluster_->send(ClusterMessage::Kind::Copy, copy.ready + copy.onward, copy.sent);
      message.from = static_cast<uint16_t>(state_.index());
      message.to = to.sm;
      message.block = to.block;
      message.launch = copy.launch;
      message.sender = copy.sender;
      message.thread = copy.thread;
      message.pc = copy.pc;
      message.copy = copy;
      message.copy.targets.clear();
      message.copy.also = BulkCopy::kNone;
    }
  });
  for (const BlockEnd& end : ended_)
    if (state_.block(end.slot).kernel->launch().clusters_apart)
      tell_cluster(end.slot, ClusterSeat::kForever, end.cycle);
}

/// A message to a block that has ended.
template <class Policy>
void Sm<Policy>::no_such_block(const ClusterMessage& message) {
  if (message.kind == ClusterMessage::Kind::Barrier) return;
  fault_.raised = true;
  fault_.kind = Fault::Kind::ExitedBlock;
  fault_.sm = message.from;
  fault_.launch = static_cast<uint16_t>(message.launch);
  fault_.block = message.sender;
  fault_.thread = message.thread;
  fault_.pc = message.pc;
  fault_.address = message.block;
  fault_.cycle = message.cycle;
  observer_.faults(fault_);
  next_ = kNever;
}

template <class Policy>
void Sm<Policy>::receive(ClusterMessage& message) {
  if (fault_.raised) return;
  if (watch_.on()) watch_.did_anything();
  if (message.kind == ClusterMessage::Kind::Answer) return get_answer(message);
  const uint32_t slot = state_.slot_of_block(message.launch, message.block);
  if (slot == SmState::kNoBlock) return no_such_block(message);
  const ResidentBlock& block = state_.block(slot);
  const LaunchContext& launch = block.kernel->launch();
  std::byte* shared = block.kernel->shared(block.place);
  switch (message.kind) {
    case ClusterMessage::Kind::Access: {
      const Insn& insn = launch.kernel->insns[message.pc];
      load_store_.perform(insn, shared, message.lanes, message.at, message.data);
      if (message.load != PendingAtomic::kNoLoad) answer(message, insn);
      break;
    }
    case ClusterMessage::Kind::Object: {
      NoAsyncEvents events;
      AsyncOperations operations(state_, load_store_, fault_, message.cycle, false, events);
      operations.perform_for(slot, shared, launch.kernel->insns[message.pc], message.lanes, message.at, message.counts);
      wake_async(message.cycle);
      break;
    }
    case ClusterMessage::Kind::Copy:
      state_.async().receive(slot, std::move(message.copy), message.cycle);
      wake_async(message.cycle);
      break;
    case ClusterMessage::Kind::Barrier:
      if (state_.hears_of_arrival(slot, message.rank, message.phases)) wake_async(message.cycle);
      break;
    case ClusterMessage::Kind::Answer: break;
  }
}

/// What lanes of another SM get.
template <class Policy>
void Sm<Policy>::answer(ClusterMessage& message, const Insn& insn) {
  const ClusterConfig& config = cluster_->config();
  const uint32_t latency = insn.effect == ptx::Effect::Load ? config.load_latency : config.atomic_latency;
  const Cycle left = cluster_->leave(message.cycle, insn.access().bytes() * count_lanes(message.lanes));
  ClusterMessage& out = cluster_->send(ClusterMessage::Kind::Answer, left + latency - config.access_latency);
  out.from = message.to;
  out.to = message.from;
  out.launch = message.launch;
  out.pc = message.pc;
  out.lanes = message.lanes;
  out.load = message.load;
  out.data = std::move(message.data);
}

template <class Policy>
void Sm<Policy>::get_answer(const ClusterMessage& message) {
  const uint32_t slot = under_way_.slot_of_load(message.load);
  const Warp& warp = state_.warp(slot);
  LoadStore::write_results(warp.code[message.pc], warp, message.lanes, message.data);
  const LoadStoreTiming::EndedLoad of = under_way_.answered(message.load, message.cycle);
  if (!of.ended) return;
  if (cluster_->release(slot)) prepare(slot, of.result);
  else if (warps_.is(slot, WarpStatus::AwaitsLoad)) prepare(slot, latest(warps_[slot].earliest, of.result));
  wake(sub_core_of(slot), message.cycle);
}

}  // namespace warptime::sim
