// The outstanding stores of one SM. Loads read DeviceMemory, in which a store appears only at a window edge; until then
// the SM's own loads find it here. Lookup by 128-byte line: a table of counters shows immediately that a line has no
// pending store, which is nearly always the case.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/slot_pool.h"
#include "sim/mem/request.h"

namespace warptime::sim {

class StoreBuffer {
 public:
  StoreBuffer();

  /// An empty store to the segment at `address` within one 128-byte line. The caller fills in bytes and mask.
  PendingStore* add(Addr address);
  /// Acknowledged: its bytes are in DeviceMemory.
  void release(PendingStore* store);

  bool empty() const { return pool_.in_use() == 0; }
  /// False: no pending store touches the line of `address`. True: perhaps one does.
  bool may_hold(Addr address) const { return buckets_[bucket_of(address)].count != 0; }
  /// Patches `out`, which holds [address, address + bytes) as DeviceMemory has it, with the pending stores in issue
  /// order.
  void overlay(Addr address, uint32_t bytes, std::byte* out) const;
  /// Calls f(store) for those that are not in DeviceMemory yet, until f returns true; returns whether it did.
  template <class F>
  bool any_of(const F& f) const {
    for (const Bucket& bucket : buckets_)
      for (uint32_t slot = bucket.count != 0 ? bucket.first : Pool::kNone; slot != Pool::kNone; slot = pool_[slot].next)
        if (!pool_[slot].visible && f(pool_[slot])) return true;
    return false;
  }

 private:
  static constexpr Addr kLine = kMaxStoreBytes;
  static constexpr Addr kPiece = 64;  // of a line, looked up at once
  static constexpr uint32_t kBuckets = 1024;

  struct Node : PendingStore {
    uint32_t slot = 0, previous = 0, next = 0;  // in its bucket, in issue order

    template <class Archive>
    void serialize(Archive& archive) {
      PendingStore::serialize(archive);
      archive(slot, previous, next);
    }
  };
  struct Bucket {
    uint32_t first = 0, last = 0, count = 0;

    template <class Archive>
    void serialize(Archive& archive) {
      archive(first, last, count);
    }
  };
  using Pool = SlotPool<Node, 64>;  // few are outstanding on most SMs

  static uint32_t bucket_of(Addr address) {
    Addr line = address / kLine;
    return static_cast<uint32_t>(line ^ (line >> 10)) % kBuckets;
  }
  void overlay_piece(Addr address, uint32_t bytes, std::byte* out) const;

  Pool pool_;
  std::array<Bucket, kBuckets> buckets_;

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    pool_.serialize_slots(archive);
    pool_.for_each_in_use([&](Node& node) { archive.object(static_cast<PendingStore&>(node)); });
    pool_.for_each_in_use([&](Node& node) { archive(node); });
    archive(buckets_);
    auto is_one = [&](uint32_t slot) { return slot == Pool::kNone || slot < pool_.capacity(); };
    pool_.for_each_in_use([&](Node& node) {
      archive.expect(node.slot < pool_.capacity() && &pool_[node.slot] == &node);
      archive.expect(is_one(node.previous) && is_one(node.next));
    });
    for (const Bucket& bucket : buckets_)
      archive.expect(bucket.count == 0 || (bucket.first < pool_.capacity() && bucket.last < pool_.capacity()));
  }
};

}  // namespace warptime::sim
