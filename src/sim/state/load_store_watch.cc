// Whether stores and atomic operations change memory: needed only while the chip searches for warps that repeat
// themselves for ever (state/spin_watch.h).
#include <bit>
#include <cstring>

#include "sim/state/load_store.h"

namespace warptime::sim {

namespace {

/// Calls f(byte) for the bytes that the store writes.
template <class F>
bool any_byte(const PendingStore& store, const F& f) {
  for (uint32_t word = 0; word < store.byte_mask.size(); ++word)
    for (uint64_t rest = store.byte_mask[word]; rest != 0; rest &= rest - 1)
      if (f(word * 64 + static_cast<uint32_t>(std::countr_zero(rest)))) return true;
  return false;
}

}  // namespace

/// Whether a store writes a byte that memory does not hold already.
bool LoadStore::differs(const PendingStore& store) const {
  return any_byte(store, [&](uint32_t at) { return *memory_->at(store.address + at) != store.bytes[at]; });
}

bool LoadStore::changes_pending() const {
  if (!stores_.empty() && stores_.any_of([this](const PendingStore& store) { return differs(store); })) return true;
  return !atomics_.empty() && atomics_.any_of([this](const PendingAtomic& atomic) { return would_change(atomic); });
}

/// An atomic operation that has not been performed yet is tried on a copy.
bool LoadStore::would_change(const PendingAtomic& atomic) const {
  if ((atomic.byte_mask[0] | atomic.byte_mask[1]) != 0) return differs(atomic);
  PendingAtomic tried = atomic;
  std::memcpy(tried.bytes.data(), memory_->at(tried.address), tried.size);
  tried.perform();
  return differs(tried);
}

/// A store to memory that the SM holds itself, at to_.
void LoadStore::store_values_here(const Insn& insn, const Warp& warp, uint32_t mask, uint32_t bytes) {
  watch_here(mask, bytes, [&] { store_values(warp.values, insn, mask, to_); });
}

/// What an instruction sends to global memory, from its transaction `first` on.
void LoadStore::watch_sent(const MemoryAccess& out, uint32_t first, bool atomic) {
  for (uint32_t i = first; i < out.count; ++i)
    if (atomic) changed_memory_ |= would_change(static_cast<const PendingAtomic&>(*out.stores[i]));
    else
      for (const PendingStore* store = out.stores[i]; store != nullptr; store = store->carried)
        changed_memory_ |= differs(*store);
}

}  // namespace warptime::sim
