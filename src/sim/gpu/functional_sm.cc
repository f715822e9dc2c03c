#include "sim/gpu/functional_sm.h"

#include <bit>
#include <cstring>

#include "sim/core/effects.h"

namespace warptime::sim {

using ptx::Effect;

namespace {

constexpr uint32_t kInstructionsPerRound = 256;  // of a warp

void apply(const PendingStore& store, DeviceMemory& memory) {
  for (size_t word = 0; word < store.byte_mask.size(); ++word)
    for (uint64_t rest = store.byte_mask[word]; rest != 0; rest &= rest - 1) {
      size_t at = word * 64 + static_cast<size_t>(std::countr_zero(rest));
      *memory.at(store.address + at) = store.bytes[at];
    }
}

}  // namespace

template <bool Observed>
FunctionalSm<Observed>::FunctionalSm(const LaunchContext& launch, uint32_t sm, LaunchObserver* observer)
    : state_(launch, sm),
      load_store_(*launch.machine, *launch.memory, sm),
      counters_(launch.kernel->insns.size(), false, launch.lines),
      watch_(state_, load_store_),
      number_(launch.blocks_per_sm),
      observer_(observer) {
  if constexpr (Observed) observes_all_ = observer_->needs_all_instructions();
  if (launch.kernel->calls_runtime) runtime_calls_ = std::make_unique<RuntimeCalls>(*launch.machine);
}

template <bool Observed>
uint32_t FunctionalSm<Observed>::free_slot() const {
  const uint32_t blocks = state_.launch().cluster_blocks, all = state_.launch().blocks_per_sm;
  if (blocks == 1) return state_.free_slot();
  uint32_t first = 0;
  while (first < all && !state_.is_free(first, blocks)) first += blocks;
  return first;
}

template <bool Observed>
void FunctionalSm<Observed>::start_block(uint64_t block, uint64_t number, uint32_t block_slot) {
  number_[block_slot] = number;
  const uint64_t slots = state_.start_block(block, block_slot);
  warps_ |= slots;
  if (recorder_ != nullptr) recorder_->starts(number, slots, state_);
  if constexpr (Observed) observer_->starts(state_, slots);
}

template <bool Observed>
void FunctionalSm<Observed>::run_round() {
  ended_blocks_ = 0;
  before_round_ = executed_instructions_;
  if constexpr (Observed)
    if (adversary_ != nullptr) return run_round_reordered();
  for (uint64_t rest = warps_; rest != 0 && !fault_.raised; rest &= rest - 1) {
    auto slot = static_cast<uint32_t>(std::countr_zero(rest));
    Warp& warp = state_.warp(slot);
    uint32_t executed = run_warp(slot, warp);
    if (block_instructions_ != nullptr) block_instructions_[number_[warp.slot_of_block]] += executed;
  }
}

template <bool Observed>
void FunctionalSm<Observed>::run_round_reordered() {
  std::array<uint8_t, 64> slots{};
  const size_t count = adversary_->slots(warps_, slots);
  for (size_t i = 0; i < count && !fault_.raised; ++i) run_warp(slots[i], state_.warp(slots[i]));
}

template <bool Observed>
void FunctionalSm<Observed>::apply_stores(DeviceMemory& memory) {
  for (const Write& write : writes_) {
    if (write.insn != nullptr) {
      auto& atomic = static_cast<PendingAtomic&>(*write.store);
      std::memcpy(atomic.bytes.data(), memory.at(atomic.address), atomic.size);
      atomic.perform();
      if (write.insn->effect == Effect::Atomic && write.insn->atomic().has_result)
        LoadStore::write_result(*write.insn, state_.warp(write.slot), atomic);
      apply(atomic, memory);
      load_store_.atomics().release(atomic);
    } else {
      apply(*write.store, memory);
      load_store_.stores().release(write.store);
    }
  }
  writes_.clear();
}

template <bool Observed>
bool FunctionalSm<Observed>::answer_heap_requests(DeviceHeap& heap) {
  if (runtime_calls_->requests().empty()) return false;
  for (const HeapRequest& request : runtime_calls_->requests()) {
    if constexpr (Observed) {
      answer_observed(request, heap);
      continue;
    }
    if (!runtime_calls_->answer(request, state_, heap, fault_)) return true;
  }
  runtime_calls_->clear_requests();
  return true;
}

template <bool Observed>
uint32_t FunctionalSm<Observed>::run_warp(uint32_t slot, Warp& warp) {
  uint32_t executed = 0, most = kInstructionsPerRound;
  if constexpr (Observed)
    if (adversary_ != nullptr) most = adversary_->instructions(most);
  for (uint32_t i = 0; i < most && warp.barrier == kNoBarrier; ++i) {
    if constexpr (Observed)
      if (adversary_ != nullptr && adversary_->turns_lanes())
        warp.stack.reorder([this](uint64_t n) { return adversary_->below(n); });
    const Insn& insn = warp.code[warp.stack.pc()];
    uint32_t lanes = warp.guarded(insn);
    ++executed_instructions_;
    ++executed;
    if constexpr (Observed)
      if (observes_all_ || insn.effect != Effect::None)
        observer_->executes({state_, slot, warp.stack.pc(), insn, lanes});
    if (insn.effect == Effect::None) [[likely]] {
      counters_.executed(warp.stack.pc(), lanes, warp.stack.live());
      if (lanes != 0) insn.run(warp.values, insn, lanes);
      warp.forget(insn);
      warp.stack.advance();
    } else if (!Observed && load_cached(warp, insn, lanes)) {
      counters_.executed(warp.stack.pc(), lanes, warp.stack.live());
      warp.forget(insn);
      warp.stack.advance();
    } else {
      counters_.executed(warp.stack.pc(), executing(insn, warp.stack.active(), lanes), warp.stack.live());
      if (!run_effect(slot, warp, insn, lanes)) return executed;
    }
  }
  return executed;
}

/// The most common loads, as in timed runs (Sm::load_cached). False: another kind of load, and nothing is done.
template <bool Observed>
bool FunctionalSm<Observed>::load_cached(Warp& warp, const Insn& insn, uint32_t lanes) {
  if (!insn.may_be_cached || lanes != kFullMask || recorder_ != nullptr || counters_.has_lines() ||
      !load_store_.load_cached(insn, warp))
    return false;
  ++counters_.shared.accesses;
  return true;
}

template <bool Observed>
bool FunctionalSm<Observed>::run_effect(uint32_t slot, Warp& warp, const Insn& insn, uint32_t lanes) {
  bool goes_on = execute(slot, warp, insn, lanes);
  warp.forget(insn);
  return goes_on;
}

template <bool Observed>
bool FunctionalSm<Observed>::execute(uint32_t slot, Warp& warp, const Insn& insn, uint32_t lanes) {
  if (insn.effect == Effect::Load || insn.effect == Effect::Store) {
    if (insn.access().of_warp && state_.wait_for_warp(slot)) return true;
    if (lanes != 0 && !access(slot, warp, insn, lanes)) return false;
  } else if (insn.effect == Effect::Texture) {
    if (lanes != 0 && !fetch_texture(slot, warp, insn, lanes)) return false;
  } else if (insn.effect == Effect::AsyncCopy) {
    if (lanes != 0 && !copy(slot, warp, insn, lanes)) return false;
  } else if (insn.effect == Effect::BulkCopy) {
    if (lanes != 0 && !bulk_copy(slot, warp, insn, lanes)) return false;
  } else if (insn.effect == Effect::Async) {
    return async(slot, warp, insn, lanes);
  } else if (insn.effect != Effect::Atomic) {
    return control(slot, warp, insn, lanes);
  } else if (lanes != 0) {  // what global memory gives back is there in the next round
    if (!access(slot, warp, insn, lanes)) return false;
    warp.stack.advance();
    return !access_.off_chip;
  }
  warp.stack.advance();
  return true;
}

/// An instruction of effects.h. What the heap gives back, and what was stored before a fence, is there in the next
/// round.
template <bool Observed>
bool FunctionalSm<Observed>::control(uint32_t slot, Warp& warp, const Insn& insn, uint32_t lanes) {
  const uint32_t pc = warp.stack.pc();
  const bool arrives = insn.effect == Effect::Barrier && lanes != 0, exits = insn.effect == Effect::Exit && lanes != 0;
  if (arrives && recorder_ != nullptr) recorder_->arrived(slot, pc);
  if constexpr (Observed)
    if (exits) observer_->exits({state_, slot, pc, insn, lanes});
  const EffectDone done =
      perform({state_, load_store_, watch_, runtime_calls_.get(), counters_, fault_, executed_instructions_, 0}, slot,
              insn, insn.effect, lanes);
  if (fault_.raised) return false;
  if constexpr (Observed) {
    if (arrives) observer_->arrived({state_, slot, pc, insn, lanes}, done.arrival);
    if (exits) observer_->exited({state_, slot, pc, insn, lanes}, done.exited);
  }
  if (!done.moved) warp.stack.advance();
  if (done.exited.warp_done) warps_ &= ~(uint64_t{1} << slot);
  if (done.exited.block_done) ++ended_blocks_;
  return insn.effect != Effect::Fence && !done.waits && !done.exited.warp_done;
}

template <bool Observed>
bool FunctionalSm<Observed>::fetch_texture(uint32_t slot, Warp& warp, const Insn& insn, uint32_t lanes) {
  access_.count = 0;
  if constexpr (Observed) {
    const uint32_t allowed = observer_->fetches({state_, slot, warp.stack.pc(), insn, lanes}) & lanes;
    LoadStore::write_zeros(insn, warp, lanes & ~allowed);
    lanes = allowed;
    if (lanes == 0) return true;
  }
  if (counters_.has_lines()) [[unlikely]]
    ++counters_.lines[warp.stack.pc()].memory.accesses;
  if (load_store_.texture(insn, warp, lanes, access_, fault_)) {
    if (recorder_ != nullptr) recorder_->accessed(slot, warp.stack.pc(), insn, access_);
    return true;
  }
  state_.locate(fault_, slot, 1u << fault_.thread);
  return false;
}

template <bool Observed>
bool FunctionalSm<Observed>::access(uint32_t slot, Warp& warp, const Insn& insn, uint32_t lanes) {
  if (insn.access().of_warp && lanes != kFullMask) [[unlikely]] {
    state_.partial_warp(slot, lanes, fault_);
    return false;
  }
  if constexpr (Observed) {
    lanes = observe_access(slot, warp, insn, lanes);
    if (lanes == 0) return true;
  }
  if (!load_store_.access(insn, warp, slot, lanes, access_, fault_)) {
    uint32_t lane = fault_.thread;
    fault_.is_store = insn.effect != Effect::Load;
    state_.locate(fault_, slot, 1u << lane);
    return false;
  }
  counters_.accessed(insn, count_lanes(lanes), access_);
  if (counters_.has_lines()) [[unlikely]]
    counters_.accessed_by(warp.stack.pc(), insn, lanes, access_, load_store_);
  if (recorder_ != nullptr) [[unlikely]]
    recorder_->accessed(slot, warp.stack.pc(), insn, access_);
  if (insn.effect == Effect::Load || !access_.off_chip) return true;
  const Insn* atomic = insn.effect == Effect::Atomic ? &insn : nullptr;
  for (uint32_t i = 0; i < access_.count; ++i) writes_.push_back({access_.stores[i], atomic, slot});
  return true;
}

/// Returns the lanes that perform the access. Those that the observer keeps from it get zeros.
template <bool Observed>
uint32_t FunctionalSm<Observed>::observe_access(uint32_t slot, Warp& warp, const Insn& insn, uint32_t lanes) {
  if (!insn.access().formatted) return observe_part(slot, warp, insn, lanes);
  uint32_t allowed = 0;
  for (uint32_t rest = lanes, of = rest; rest != 0; rest &= ~of, of = rest) {
    const std::optional<Insn> access = load_store_.next_format(insn, warp, of, fault_);
    if (!access) {
      fault_ = {};  // it is raised where the access is performed
      return lanes;
    }
    allowed |= observe_part(slot, warp, *access, of);
  }
  return allowed;
}

template <bool Observed>
uint32_t FunctionalSm<Observed>::observe_part(uint32_t slot, Warp& warp, const Insn& insn, uint32_t lanes) {
  std::array<Addr, kWarpSize> addresses{};
  const uint32_t asked = lanes;
  if (insn.access().dimensions != 0 && !load_store_.find_in_surface(insn, warp, lanes, fault_)) {
    fault_ = {};  // it is raised where the access is performed
    return asked;
  }
  if (insn.effect != Effect::Atomic && insn.load_store().matrix() != nullptr) {
    bool all = true;
    for (uint32_t i = 0; i < LoadStore::part_count(insn); ++i) {
      const Insn part = LoadStore::part(insn, warp.values, i, addresses);
      all &= observer_->accesses({state_, slot, warp.stack.pc(), part, lanes}, addresses) == lanes;
    }
    if (all) return lanes;
    LoadStore::write_zeros(insn, warp, lanes);
    access_.clear();
    return 0;
  }
  const uint32_t addressing = insn.addressing(lanes);
  lane_addresses(warp.values, insn.access().address, addressing, addresses);
  uint32_t allowed = observer_->accesses({state_, slot, warp.stack.pc(), insn, addressing}, addresses) & addressing;
  if (allowed == addressing) return lanes;
  if (insn.access().of_warp) allowed = 0;  // all or none
  LoadStore::write_zeros(insn, warp, lanes & ~allowed);
  access_.clear();
  return allowed;
}

/// Lane by lane: one whose free() is refused does not keep the others from theirs.
template <bool Observed>
void FunctionalSm<Observed>::answer_observed(const HeapRequest& request, DeviceHeap& heap) {
  HeapRequest one = request;
  for (uint32_t rest = request.lanes; rest != 0; rest &= rest - 1) {
    auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    one.lanes = 1u << lane;
    HeapEvent event;
    event.where = request.where;
    event.where.thread = event.where.thread / kWarpSize * kWarpSize + lane;
    event.is_free = request.link->row->function != ptx::RuntimeFunction::Malloc;
    event.argument = request.arguments[lane];
    FaultRecord refused;
    event.refused = !runtime_calls_->answer(one, state_, heap, refused);
    if (event.refused) event.where.runtime = refused.runtime;
    if (!event.is_free) event.result = runtime_calls_->result(one, state_, lane);
    observer_->heap(state_.launch(), event);
  }
}

template class FunctionalSm<false>;
template class FunctionalSm<true>;

}  // namespace warptime::sim
