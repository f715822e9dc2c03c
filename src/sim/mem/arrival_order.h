// The stores and atomic operations that have arrived at a partition and are not visible in DeviceMemory yet, in the
// order of arrival. An atomic operation reads words with pending writes from here, so for each byte the order of
// arrival is the order of all writes, independent of the caches and the DRAM scheduler.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "sim/mem/device_memory.h"
#include "sim/mem/request.h"

namespace warptime::sim {

class ArrivalOrder {
 public:
  ArrivalOrder() {
    for (auto& bucket : buckets_) bucket.reserve(64);
  }

  void arrives(PendingStore* store) { bucket_of(store->address).push_back(store); }

  /// The bytes [address, address + bytes) after all arrived writes.
  void read(const DeviceMemory& memory, Addr address, uint32_t bytes, std::byte* out) {
    std::memcpy(out, memory.at(address), bytes);
    for (const PendingStore* store : bucket_of(address)) overlay(*store, address, bytes, out);
  }

  /// The store is written to DeviceMemory now. Stores that arrived before it and are not written yet must not overwrite
  /// its bytes later.
  void becomes_visible(PendingStore* store) {
    std::vector<PendingStore*>& bucket = bucket_of(store->address);
    auto own = std::find(bucket.begin(), bucket.end(), store);
    for (auto earlier = bucket.begin(); earlier != own; ++earlier)
      if (line_of((*earlier)->address) == line_of(store->address)) remove_bytes(**earlier, *store);
    bucket.erase(own);
  }

 private:
  static constexpr size_t kBuckets = 64;

  static Addr line_of(Addr address) { return address / kMaxStoreBytes; }
  std::vector<PendingStore*>& bucket_of(Addr address) {
    Addr line = line_of(address);
    return buckets_[(line ^ (line >> 6)) % kBuckets];
  }
  static void remove_bytes(PendingStore& from, const PendingStore& written) {
    for (uint32_t at = 0; at < kMaxStoreBytes; ++at) {
      Addr index = written.address + at - from.address;
      if (written.writes(at) && index < kMaxStoreBytes) from.byte_mask[index / 64] &= ~(uint64_t{1} << (index % 64));
    }
  }

  std::array<std::vector<PendingStore*>, kBuckets> buckets_;  // by line; oldest first

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    for (std::vector<PendingStore*>& bucket : buckets_) {
      uint64_t count = bucket.size();
      archive(count);
      for (uint64_t i = 0; i < count; ++i) {
        if constexpr (Archive::kRestores) bucket.push_back(nullptr);
        archive.pointer(bucket[i]);
        archive.expect(bucket[i] != nullptr);
      }
    }
  }
};

}  // namespace warptime::sim
