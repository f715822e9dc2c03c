// Asynchronous copies and mbarrier objects in functional runs. A copy has read its source when it was issued; its bytes
// arrive when its thread waits for them, or when a test of the mbarrier object that counts it would fail without them,
// and not before: a wait for a phase that was over before does not bring them.
#include "sim/gpu/functional_sm.h"

namespace warptime::sim {

namespace {

/// Passes the events to an observer.
struct ObservedAsync {
  LaunchObserver& observer;
  const SmState& sm;
  void copied(const AsyncCopy& copy, uint32_t lanes, const AsyncArrival* arrival) const {
    observer.copied(sm, copy, lanes, arrival);
  }
  void arrived(const BulkCopy& copy) const { observer.arrived(sm, copy); }
  void used(const MbarrierUse& use) const { observer.used(sm, use); }
};

}  // namespace

template <bool Observed>
uint32_t FunctionalSm<Observed>::observe_copy(uint32_t slot, Warp& warp, const Insn& insn, uint32_t lanes) {
  const uint32_t pc = warp.stack.pc();
  std::array<Addr, kWarpSize> addresses{};
  lane_addresses(warp.values, insn.async_copy().to, lanes, addresses);
  lanes &= observer_->copies({state_, slot, pc, insn, lanes}, addresses);
  std::array<uint32_t, kWarpSize> bytes{};
  const uint32_t reads = lanes == 0 ? 0 : LoadStore::source_bytes(insn, warp, lanes, bytes);
  if (reads == 0) return lanes;
  lane_addresses(warp.values, insn.access().address, reads, addresses);
  return lanes & (~reads | observer_->accesses({state_, slot, pc, insn, reads}, addresses));
}

template <bool Observed>
bool FunctionalSm<Observed>::copy(uint32_t slot, Warp& warp, const Insn& insn, uint32_t lanes) {
  if constexpr (Observed) {
    lanes = observe_copy(slot, warp, insn, lanes);
    if (lanes == 0) return true;
  }
  if (!load_store_.copy(insn, warp, lanes, state_.async(), access_, fault_)) {
    state_.locate(fault_, slot, 1u << fault_.thread);
    return false;
  }
  if constexpr (Observed) observer_->began(state_, state_.async()[access_.copy]);
  counters_.accessed(insn, count_lanes(lanes), access_);
  if (counters_.has_lines()) [[unlikely]]
    counters_.accessed_by(warp.stack.pc(), insn, lanes, access_, load_store_);
  if (recorder_ != nullptr) [[unlikely]]
    recorder_->accessed(slot, warp.stack.pc(), insn, access_);
  return true;
}

template <bool Observed>
bool FunctionalSm<Observed>::bulk_copy(uint32_t slot, Warp& warp, const Insn& insn, uint32_t lanes) {
  const BulkCopyPayload& payload = insn.bulk_copy();
  const bool once = payload.detail != nullptr && payload.detail->of_warp;
  for (uint32_t rest = once ? lanes & -lanes : lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    LoadStore::BulkRange range;
    if (!load_store_.find_bulk(insn, warp, lane, range, fault_)) {
      state_.locate(fault_, slot, 1u << lane);
      return false;
    }
    if constexpr (Observed)
      observer_->bulk({state_, slot, warp.stack.pc(), insn, 1u << lane}, range, load_store_.pieces());
    if (payload.to_shared)
      state_.for_bulk_targets(warp, range.block, range.blocks, [&](uint32_t block) {
        const uint32_t id = load_store_.begin_bulk(insn, warp, lane, range, block, state_.async());
        if constexpr (Observed) observer_->began(state_, state_.async().bulk(id));
      });
    if (payload.to_shared && payload.from_shared) continue;
    for (uint32_t begin = 0; begin < range.extent;) {
      const LoadStore::BulkPart part = load_store_.bulk_part(insn, range, begin, access_);
      counters_.copied(access_, payload.to_shared, range.reduce != nullptr, part.bytes);
      begin = part.next;
      if (payload.to_shared) continue;
      for (uint32_t i = 0; i < access_.count; ++i)
        writes_.push_back({access_.stores[i], range.reduce != nullptr ? &insn : nullptr, slot});
    }
  }
  return true;
}

/// Who waits in vain at an mbarrier object goes on in the next round.
template <bool Observed>
bool FunctionalSm<Observed>::async(uint32_t slot, Warp& warp, const Insn& insn, uint32_t lanes) {
  bool goes_on = true;
  if (lanes != 0 && insn.async().operation == AsyncOperation::ClusterWait) {
    if (!state_.may_leave_cluster(slot, lanes)) {  // it comes to it again in the next round
      --executed_instructions_;
      counters_.take_back(warp.stack.pc(), lanes, warp.stack.live());
      return false;
    }
    if constexpr (Observed) observer_->left_cluster({state_, slot, warp.stack.pc(), insn, lanes});
  } else if (lanes != 0) {
    bool done = false;
    if constexpr (Observed) {
      ObservedAsync events{*observer_, state_};
      done = AsyncOperations(state_, load_store_, fault_, 0, true, events).perform(slot, insn, lanes);
    } else {
      NoAsyncEvents events;
      done = AsyncOperations(state_, load_store_, fault_, 0, true, events).perform(slot, insn, lanes);
    }
    if (!done) return false;
    if (insn.async().operation == AsyncOperation::BulkWait)
      goes_on = false;  // what was stored is there in the next round
    if (uses_mbarrier(insn.async().operation)) ++counters_.shared.accesses;
    if (tests_mbarrier(insn.async().operation) && insn.async().has_result)
      goes_on = (warp.values.predicates[insn.dst] & lanes) == lanes;
  }
  warp.stack.advance();
  return goes_on;
}

template uint32_t FunctionalSm<false>::observe_copy(uint32_t, Warp&, const Insn&, uint32_t);
template uint32_t FunctionalSm<true>::observe_copy(uint32_t, Warp&, const Insn&, uint32_t);
template bool FunctionalSm<false>::copy(uint32_t, Warp&, const Insn&, uint32_t);
template bool FunctionalSm<true>::copy(uint32_t, Warp&, const Insn&, uint32_t);
template bool FunctionalSm<false>::bulk_copy(uint32_t, Warp&, const Insn&, uint32_t);
template bool FunctionalSm<true>::bulk_copy(uint32_t, Warp&, const Insn&, uint32_t);
template bool FunctionalSm<false>::async(uint32_t, Warp&, const Insn&, uint32_t);
template bool FunctionalSm<true>::async(uint32_t, Warp&, const Insn&, uint32_t);

}  // namespace warptime::sim
