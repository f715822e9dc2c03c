#include "sim/mem/store_buffer.h"

#include <algorithm>
#include <bit>

#include "base/assert.h"

namespace warptime::sim {

StoreBuffer::StoreBuffer() { buckets_.fill({Pool::kNone, Pool::kNone, 0}); }

PendingStore* StoreBuffer::add(Addr address) {
  uint32_t slot = pool_.take();
  Node& node = pool_[slot];
  Bucket& bucket = buckets_[bucket_of(address)];
  node.visible = false;
  node.address = address;
  node.carried = nullptr;
  node.byte_mask = {};
  node.slot = slot;
  node.previous = bucket.last;
  node.next = Pool::kNone;
  (bucket.count++ == 0 ? bucket.first : pool_[bucket.last].next) = slot;
  bucket.last = slot;
  return &node;
}

void StoreBuffer::release(PendingStore* store) {
  const Node& node = *static_cast<Node*>(store);
  SIM_DEBUG_ASSERT(&pool_[node.slot] == store, "a store is released that is not of this buffer");
  Bucket& bucket = buckets_[bucket_of(node.address)];
  (node.previous == Pool::kNone ? bucket.first : pool_[node.previous].next) = node.next;
  (node.next == Pool::kNone ? bucket.last : pool_[node.next].previous) = node.previous;
  --bucket.count;
  PendingStore* carried = node.carried;
  pool_.give_back(node.slot);
  if (carried != nullptr) [[unlikely]]
    release(carried);
}

void StoreBuffer::overlay(Addr address, uint32_t bytes, std::byte* out) const {
  while (bytes > 0) {
    auto here = static_cast<uint32_t>(std::min<Addr>(bytes, kPiece - address % kPiece));
    if (may_hold(address)) overlay_piece(address, here, out);
    address += here;
    out += here;
    bytes -= here;
  }
}

/// From the last store back, until every byte is found: a loop that stores and loads one word leaves many here.
void StoreBuffer::overlay_piece(Addr address, uint32_t bytes, std::byte* out) const {
  uint64_t missing = ~uint64_t{0} >> (64 - bytes);
  const Bucket& bucket = buckets_[bucket_of(address)];
  uint32_t slot = bucket.count != 0 ? bucket.last : Pool::kNone;
  for (; slot != Pool::kNone && missing != 0; slot = pool_[slot].previous) {
    const Node& node = pool_[slot];
    // Once it is in DeviceMemory, a later store of another SM may have replaced it there.
    if (node.visible || node.address >= address + bytes || address >= node.address + kMaxStoreBytes) continue;
    for (uint64_t rest = missing; rest != 0; rest &= rest - 1) {
      auto byte = static_cast<uint32_t>(std::countr_zero(rest));
      Addr at = address + byte - node.address;  // wraps below its first byte
      if (at >= kMaxStoreBytes || !node.writes(static_cast<uint32_t>(at))) continue;
      out[byte] = node.bytes[at];
      missing &= ~(uint64_t{1} << byte);
    }
  }
}

}  // namespace warptime::sim
