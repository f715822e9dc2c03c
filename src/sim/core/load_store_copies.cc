// Requests of the copy engine, and their answers: they pass the L1 data cache by, and neither the SM's queue to the
// memory system nor the table of loads.
#include "sim/core/load_store_timing.h"

namespace warptime::sim {

uint32_t LoadStoreTiming::send_copy(uint32_t slot, uint32_t pc, const MemoryAccess& access, uint32_t bytes, Cycle& at) {
  Warp& warp = state_.warp(slot);
  KernelOnSm& kernel = *warps_[slot].kernel;
  const bool loads = access.copy != AsyncCopies::kNone;
  Request request;
  request.sm = static_cast<uint16_t>(state_.index());
  request.launch = kernel.launch->number;
  request.atomic = reduces(warp.code[pc].bulk_copy());
  const CopyEngine::Kind kind = loads            ? CopyEngine::Kind::Load
                                : request.atomic ? CopyEngine::Kind::Reduce
                                                 : CopyEngine::Kind::Store;
  uint32_t id = PendingAtomic::kNoLoad;
  request.tag = store_tag(slot, warp.generation);
  if (loads) {
    id = begin(slot, pc, access.count, at);
    loads_[id].copy = access.copy;
    loads_[id].engine_bytes = bytes;
    request.tag = id;
    request.counted = !kernel.counters.has_lines();
    if (request.counted) {
      memory_->expect(sm_in_tpc_, id, access.count);
      loads_[id].remaining = 1;
    }
  } else {
    warp.outstanding_stores += access.count;
    kernel.outstanding_stores += access.count;
  }
  for (uint32_t i = 0; i < access.count; ++i) {
    const Transaction& transaction = access.transactions[i];
    request.address = transaction.address;
    request.word = transaction.word;
    request.granules = transaction.granules;
    request.bytes = static_cast<uint16_t>(transaction.granules != 0 ? transaction.bytes_of_granules()
                                                                    : uint32_t{transaction.bytes});
    request.group = next_group_ + transaction.half;
    request.cycle = copy_engine_.request(kind, request.bytes);
    if (i == 0) at = request.cycle;
    if (!loads) {
      request.store = access.stores[i];
      request.store->launch = static_cast<uint16_t>(request.launch);
      if (request.atomic) static_cast<PendingAtomic*>(request.store)->load = id;
    }
    if (has_l1_) caches_->discard(sm_in_tpc_, request.address);
    memory_->send_copy(sm_in_tpc_, request);
  }
  if (loads) loads_[id].begun = at;
  next_group_ += 2;
  return id;
}

/// A part of a copy has come from the memory system; returns when it is in shared memory.
Wait LoadStoreTiming::end_copy(uint32_t id) {
  const PendingLoad load = loads_[id];
  loads_.give_back(id);
  const Cycle ready = copy_engine_.received(load.engine_bytes, load.ready);
  state_.async().completes(load.copy, ready);
  if (counters_of(load.slot).has_lines()) count_line(load, ready - load.begun);
  --state_.warp(load.slot).outstanding_loads;
  return Wait::until(ready, load.reason);
}

}  // namespace warptime::sim
