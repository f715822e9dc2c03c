// Requests that look up the caches of their partition, or other requests, when they arrive: what answers them but a
// DRAM read of their own.
#include "sim/mem/partition.h"

namespace warptime::sim {

void Partition::look_up(Arrival& arrival) {
  --lookups_;
  const PartitionRequest& request = arrival.request;
  if (has_atomics_ && request.store != nullptr) {
    if (request.atomic) {
      auto& atomic = static_cast<PendingAtomic&>(*request.store);
      arrived_.read(memory_, atomic.address, atomic.size, atomic.bytes.data());
      atomic.perform();
    }
    arrived_.arrives(request.store);
  }
  // Only a read that surely goes to DRAM may have others merged with it: a cache would answer that read alone.
  ReadKind kind = request.kind;
  if (caches_.exists(kind)) {
    bool is_served = false;
    share_caches(arrival, [&] { is_served = cached(arrival); });
    if (is_served) return;
  } else if (merges_ && kind == ReadKind::Plain && merged(arrival)) {
    return;
  }
  if (shares_ != nullptr) [[unlikely]]
    share_dram(launch_of(arrival), arrival.dram_bytes(), request.writes());
  enqueue(arrival, arrival.at);
}

/// Whether a cache answers the request, or a read of the same lines will. False: it goes to DRAM.
bool Partition::cached(Arrival& arrival) {
  arrival.request.with_previous = false;
  const PartitionRequest& request = arrival.request;
  const ReadKind kind = request.kind;
  Cycle ready = clock_.to_shader(arrival.at);
  auto gone = [&](Addr evicted, uint32_t bytes, bool fills) { write_back(arrival, evicted, bytes, arrival.at, fills); };
  const uint32_t missing = caches_.look_up(request, ready);
  const Addr block = request.block();
  const uint32_t granules = request.granules();
  if (request.writes()) {
    const bool passes = !caches_.writes_back() || caches_.passes_on(kind, block, granules);
    if (passes) {
      caches_.passed_on(kind, request.bytes);
      return false;
    }
    ready = slices_.pass(block, request.bytes, ready);
    caches_.write(kind, block, granules, request.store->whole_granules(), ready, gone);
    answer(from_caches_, arrival, ready + caches_.latency(kind), arrival.at);
    return true;
  }
  if (missing == 0) {
    ready = slices_.pass(block, request.bytes, ready);
    answer(from_caches_, arrival, ready + caches_.latency(kind), arrival.at);
    return true;
  }
  if (uint32_t mshr = caches_.find_mshr(kind, block, missing); mshr != kNoMshr) {
    merged_.merge(mshr, arrival);
    return true;
  }
  arrival.mshr = merged_.allocate();
  if (missing != granules) arrival.missing = missing & 0xf;
  caches_.allocate_mshr(kind, block, missing, arrival.mshr);
  caches_.reserve(kind, block, missing, ready, gone);
  return false;
}

/// Whether a read of the same half-warp and word answers the request. False: it goes to DRAM.
bool Partition::merged(Arrival& arrival) {
  if (arrival.request.store != nullptr) return false;
  const uint32_t mshr = merged_.allocate();
  const SameAddressTable::Read* read = same_address_.lookup_or_allocate(arrival.request, mshr, arrival.at);
  if (read == nullptr) {
    arrival.request.with_previous = false;
    arrival.mshr = mshr;
    return false;
  }
  merged_.release(mshr);
  if (read->served) answer(from_dram_, arrival, clock_.to_shader(read->data_end) + pipeline_, arrival.at);
  else merged_.merge(read->mshr, arrival);
  return true;
}

/// A read with an MSHR has had its last column access.
void Partition::read_served(const Arrival& arrival, uint64_t data_end, uint64_t now) {
  const PartitionRequest& request = arrival.request;
  if (merges_ && !request.atomic) same_address_.served(request, arrival.mshr, data_end);
  if (!caches_.exists(request.kind)) return;
  caches_.release_mshr(arrival.mshr);
  share_caches(arrival, [&] {
    const Addr block = request.block();
    const uint32_t granules = arrival.missing == 0 ? request.granules() : arrival.missing;
    const Cycle ready = slices_.pass(block, arrival.dram_bytes(), clock_.to_shader(data_end));
    caches_.fill(request.kind, block, granules, ready,
                 [&](Addr gone, uint32_t bytes, bool fills) { write_back(arrival, gone, bytes, now, fills); });
  });
}

void Partition::answer_merged(uint32_t mshr, Cycle ready, uint64_t now) {
  merged_.answer(mshr, [&](const Arrival& arrival) { answer(from_dram_, arrival, ready, now); });
}

}  // namespace warptime::sim
