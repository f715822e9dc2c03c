// What changes memory: stores that become visible at window edges, atomic operations, lines that caches write back.
#include <algorithm>
#include <cstring>
#include <utility>

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

/// The access `cause` has dirty bytes of its cache written at memory cycle `now`; `fills`: read before, for the bytes
/// that they lack.
void Partition::write_back(const Arrival& cause, Addr offset, uint32_t bytes, uint64_t now, bool fills) {
  if (fills) [[unlikely]] {
    Arrival line;
    line.at = now;
    const Addr unit = caches_.fetch_bytes(), first = offset / unit * unit;
    line.request.place = PartitionRequest::place_of(first / PartitionRequest::kGranule, 0, 0);
    line.request.bytes = static_cast<uint8_t>((offset + bytes - first + unit - 1) / unit * unit);
    line.write_back = line.fills = true;
    if (shares_ != nullptr) {
      line.request.run = launch_of(cause);
      share_dram(line.request.run, line.request.bytes, false);
    }
    enqueue(line, now);
  }
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

/// The last element goes before all that are later.
template <class T, class Key>
static void last_to_place(Ring<T>& ring, const Key& key) {
  for (size_t i = ring.size() - 1; i > 0 && key(ring[i - 1]) > key(ring[i]); --i) std::swap(ring[i - 1], ring[i]);
}

void Partition::last_applied_to_place() {
  last_to_place(applied_, [](const AppliedStore& one) { return one.visible; });
}

/// The atomic unit serves one request after the other. What it changes stays in a write-back cache, or else goes to
/// DRAM.
void Partition::perform_atomic(const Arrival& arrival, Cycle ready, uint64_t now, bool hit) {
  const PartitionRequest& request = arrival.request;
  auto& atomic = static_cast<PendingAtomic&>(*request.store);
  const Cycle cycles = words_.exist() ? words_.unit_cycles(atomic) : atomic.conflict_degree() * atomic_cycles_;
  const Cycle begin = std::max(ready, atomic_unit_free_);
  atomic_unit_free_ = begin + cycles;
  atomic_unit_busy_ += cycles;
  const Cycle done = words_.exist() ? std::max(atomic_unit_free_, words_.done(atomic, begin)) : atomic_unit_free_;
  if (shares_ != nullptr) [[unlikely]] {
    share_of(arrival.tpc, request.run).busy.atomic_unit += cycles;
    share_stages(arrival, done, hit);
  }
  applied_atomics_.push_back({edge_after(done, window_), &atomic});
  push(from_atomics_, request, arrival.tpc, done + atomic_latency_);
  if (words_.exist()) {  // those of a word that many change are done later than others that came after them
    last_to_place(applied_atomics_, [](const AppliedStore& one) { return one.visible; });
    last_to_place(from_atomics_, [](const Answer& one) { return one.cycle; });
  }
  if (!caches_.exists(request.kind)) return write_back(arrival, request.offset(), request.bytes, now);
  share_caches(arrival, [&] {
    caches_.stored(request.kind, request.bytes);
    if (caches_.writes_back()) {
      caches_.write(request.kind, request.block(), request.granules(), ~uint32_t{0}, ready,
                    [&](Addr gone, uint32_t bytes, bool fills) { write_back(arrival, gone, bytes, now, fills); });
    } else {
      caches_.passed_on(request.kind, request.bytes);
      write_back(arrival, request.offset(), request.bytes, now);
    }
  });
}

}  // namespace warptime::sim
