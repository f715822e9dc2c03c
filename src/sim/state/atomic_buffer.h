// The atomic operations of an SM that the memory system has not performed yet.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/slot_pool.h"
#include "sim/mem/store_buffer.h"

namespace warptime::sim {

/// The outstanding atomic operations of an SM, and the lines that they change: a load of such a line must wait.
class AtomicBuffer {
 public:
  PendingAtomic* add(Addr address) {
    uint32_t slot = pool_.take();
    PendingAtomic& atomic = pool_[slot];
    atomic.slot = slot;
    atomic.address = address;
    atomic.visible = false;
    atomic.byte_mask = {};
    atomic.lanes = 0;
    atomic.load = PendingAtomic::kNoLoad;
    ++lines_[bucket_of(address)];
    return &atomic;
  }
  void release(const PendingAtomic& atomic) {
    --lines_[bucket_of(atomic.address)];
    pool_[atomic.slot].lanes = 0;
    pool_.give_back(atomic.slot);
  }
  /// Calls f(atomic) for those that are not in DeviceMemory yet, until f returns true; returns whether it did.
  template <class F>
  bool any_of(const F& f) const {
    for (uint32_t slot = 0; slot < pool_.capacity(); ++slot)
      if (pool_[slot].lanes != 0 && !pool_[slot].visible && f(pool_[slot])) return true;
    return false;
  }
  bool empty() const { return pool_.in_use() == 0; }
  /// False: no atomic operation touches the line of `address`. True: perhaps one does.
  bool may_change(Addr address) const { return lines_[bucket_of(address)] != 0; }

 private:
  static size_t bucket_of(Addr address) { return (address / kMaxStoreBytes) % 256; }
  SlotPool<PendingAtomic, 64> pool_;
  std::array<uint32_t, 256> lines_{};

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    pool_.serialize_slots(archive);
    pool_.for_each_in_use([&](PendingAtomic& atomic) { archive.template object_as<PendingStore>(atomic); });
    pool_.for_each_in_use([&](PendingAtomic& atomic) {
      archive(atomic);
      archive.expect(atomic.slot < pool_.capacity() && &pool_[atomic.slot] == &atomic);
    });
    archive(lines_);
  }
};

}  // namespace warptime::sim
