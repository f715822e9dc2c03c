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
      arrived_.read(memory_, atomic.address, request.bytes, atomic.bytes.data());
      atomic.perform();
    }
    arrived_.arrives(request.store);
  }
  // Only a read that surely goes to DRAM may have others merged with it: a cache would answer that read alone.
  ReadKind kind = request.kind;
  if (caches_.exists(kind) ? cached(arrival) : merges_ && kind == ReadKind::Plain && merged(arrival)) return;
  if (shares_ != nullptr) [[unlikely]]
    share_dram(launch_of(arrival), arrival.dram_bytes(), request.writes());
  enqueue(arrival, arrival.at);
}

/// Whether a cache answers the request, or a read of the same lines will. False: it goes to DRAM.
bool Partition::cached(Arrival& arrival) {
  arrival.request.with_previous = false;
  const PartitionRequest& request = arrival.request;
  const Addr offset = request.offset();
  Cycle ready = clock_.to_shader(arrival.at);
  const PartitionCaches::Span missing = caches_.missing(request.kind, offset, request.bytes, ready);
  const bool hit = missing.empty();
  if (shares_ != nullptr) [[unlikely]]
    count_lookup((*shares_)[launch_of(arrival)].caches[caches_.counted_as(request.kind)], hit);
  if (request.writes()) {
    if (!caches_.writes_back()) return false;
    caches_.write(request.kind, offset, request.bytes, whole_granules(*request.store), ready,
                  [&](Addr gone, uint32_t bytes) { write_back(arrival, gone, bytes, arrival.at); });
    answer(from_caches_, arrival, ready + caches_.latency(request.kind), arrival.at);
    return true;
  }
  if (hit) {
    answer(from_caches_, arrival, ready + caches_.latency(request.kind), arrival.at);
    return true;
  }
  const auto bytes = static_cast<uint32_t>(missing.end - missing.begin);
  if (uint32_t mshr = caches_.find_mshr(request.kind, missing.begin, bytes); mshr != kNoMshr) {
    merged_.merge(mshr, arrival);
    return true;
  }
  arrival.mshr = merged_.allocate();
  if (missing.begin != offset || bytes != request.bytes) arrival.set_missing(missing.begin, missing.end);
  caches_.allocate_mshr(request.kind, missing.begin, bytes, arrival.mshr);
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
  caches_.fill(request.kind, arrival.dram_offset(), arrival.dram_bytes(), clock_.to_shader(data_end),
               [&](Addr gone, uint32_t bytes) { write_back(arrival, gone, bytes, now); });
}

void Partition::answer_merged(uint32_t mshr, Cycle ready, uint64_t now) {
  merged_.answer(mshr, [&](const Arrival& arrival) { answer(from_dram_, arrival, ready, now); });
}

}  // namespace warptime::sim
