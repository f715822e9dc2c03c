#include "sim/mem/store_buffer.h"

#include <algorithm>

#include "base/assert.h"

namespace warptime::sim {

StoreBuffer::StoreBuffer() { buckets_.fill({Pool::kNone, Pool::kNone, 0}); }

PendingStore* StoreBuffer::add(Addr address) {
  uint32_t slot = pool_.take();
  Node& node = pool_[slot];
  Bucket& bucket = buckets_[bucket_of(address)];
  node.visible = false;
  node.address = address;
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
  pool_.give_back(node.slot);
}

void StoreBuffer::overlay(Addr address, uint32_t bytes, std::byte* out) const {
  while (bytes > 0) {
    auto here = static_cast<uint32_t>(std::min<Addr>(bytes, kLine - address % kLine));
    if (may_hold(address)) overlay_line(address, here, out);
    address += here;
    out += here;
    bytes -= here;
  }
}

void StoreBuffer::overlay_line(Addr address, uint32_t bytes, std::byte* out) const {
  for (uint32_t slot = buckets_[bucket_of(address)].first; slot != Pool::kNone; slot = pool_[slot].next) {
    const Node& node = pool_[slot];
    // Once it is in DeviceMemory, a later store of another SM may have replaced it there.
    if (!node.visible) sim::overlay(node, address, bytes, out);
  }
}

}  // namespace warptime::sim
