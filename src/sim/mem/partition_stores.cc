// What changes memory: stores that become visible at window edges, atomic operations, lines that caches write back.
#include <algorithm>
#include <cstring>

#include "sim/mem/partition.h"

namespace warptime::sim {

void Partition::apply_stores() {
  for (Ring<AppliedStore>* applied : {&applied_, &applied_atomics_})
    for (; due(*applied, end_); applied->pop_front()) apply(*applied->front().store);
}

void Partition::apply(PendingStore& store) {
  if (has_atomics_) arrived_.becomes_visible(&store);
  write(store);
  for (PendingStore* more = store.carried; more != nullptr; more = more->carried) [[unlikely]] write(*more);
}

void Partition::write(PendingStore& store) {
  store.visible = true;
  for (uint32_t word = 0; word < kMaxStoreBytes; word += 64) {
    uint64_t mask = store.byte_mask[word / 64];
    if (mask == 0) continue;  // its time counts, its bytes are elsewhere
    std::byte* to = memory_.at(store.address + word);
    const std::byte* from = store.bytes.data() + word;
    if (mask == ~uint64_t{0}) {
      std::memcpy(to, from, 64);
      continue;
    }
    for (; mask != 0; mask &= mask - 1) {
      auto byte = static_cast<uint32_t>(std::countr_zero(mask));
      to[byte] = from[byte];
    }
  }
}

/// The access `cause` evicts a dirty line of its cache at memory cycle `now`.
void Partition::write_back(const Arrival& cause, Addr line, uint64_t now) {
  write_back_bytes(cause, line, caches_.of(cause.request.kind).line_bytes(), now);
}

void Partition::write_back_bytes(const Arrival& cause, Addr offset, uint32_t bytes, uint64_t now) {
  Arrival line;
  line.at = now;
  line.request.place = PartitionRequest::place_of(offset / PartitionRequest::kGranule, 0, 0);
  line.request.bytes = static_cast<uint8_t>(bytes);
  line.write_back = true;
  if (shares_ != nullptr) [[unlikely]] {
    line.request.run = launch_of(cause);
    share_dram(line.request.run, bytes, true);
  }
  enqueue(line, now);
}

/// The atomic unit serves one request after the other. What it changes stays in a write-back cache, or else goes to
/// DRAM.
void Partition::perform_atomic(const Arrival& arrival, Cycle ready, uint64_t now) {
  const PartitionRequest& request = arrival.request;
  auto& atomic = static_cast<PendingAtomic&>(*request.store);
  const Cycle cycles = atomic.conflict_degree() * atomic_cycles_;
  atomic_unit_free_ = std::max(ready, atomic_unit_free_) + cycles;
  atomic_unit_busy_ += cycles;
  if (shares_ != nullptr) [[unlikely]]
    share_of(arrival.tpc, request.run).busy.atomic_unit += cycles;
  applied_atomics_.push_back({edge_after(atomic_unit_free_, window_), &atomic});
  push(from_atomics_, request, arrival.tpc, atomic_unit_free_);
  if (caches_.exists(request.kind) && caches_.writes_back())
    caches_.put(request.kind, request.offset(), request.bytes, ready, true,
                [&](Addr gone) { write_back(arrival, gone, now); });
  else write_back_bytes(arrival, request.offset(), request.bytes, now);
}

}  // namespace warptime::sim
