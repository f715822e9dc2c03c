// A request that has passed a partition's input port: an entry of the partition's queues. It is copied from queue to
// queue, because data that are stored in the order of use are in the host's caches.
#pragma once

#include <cstdint>

#include "sim/mem/crossbar.h"

namespace warptime::sim {

inline constexpr uint32_t kNoMshr = ~uint32_t{0};

struct Arrival {
  uint64_t at = 0;           // memory cycle from which it is in the queue
  PartitionRequest request;  // with_previous: its answer leaves together with that of the previous request
  uint32_t mshr = kNoMshr;   // of a read into which others may be merged
  uint16_t tpc = 0;
  bool write_back : 1 = false;    // dirty bytes that a cache evicted: they have no answer
  bool needs_lookup : 1 = false;  // in caches or other requests on arrival: it may not need DRAM
  // What a cache lacks of a read, of which that comes from DRAM: granules of the aligned 128 bytes around it, the first
  // and their number; of others 0.
  uint8_t first_missing : 2 = 0, missing : 3 = 0;

  Addr dram_offset() const {
    return missing == 0 ? request.offset()
                        : request.offset() / kBlock * kBlock + first_missing * PartitionRequest::kGranule;
  }
  uint32_t dram_bytes() const { return missing == 0 ? request.bytes : missing * PartitionRequest::kGranule; }
  void set_missing(Addr begin, Addr end) {
    first_missing = static_cast<uint8_t>(begin % kBlock / PartitionRequest::kGranule) & 3;
    missing = static_cast<uint8_t>((end - begin) / PartitionRequest::kGranule) & 7;
  }
  static constexpr Addr kBlock = 128;  // no line and no request is longer

  template <class Archive>
  void serialize(Archive& archive) {
    archive(at, request, mshr);
    archive.index(tpc, archive.limits.tpcs);
    bool is_write_back = write_back, is_looked_up = needs_lookup;
    uint8_t first = first_missing, count = missing;
    archive(is_write_back, is_looked_up, first, count);
    archive.expect(first + count <= kBlock / PartitionRequest::kGranule);
    write_back = is_write_back;
    needs_lookup = is_looked_up;
    first_missing = first & 3;
    missing = count & 7;
  }
};
static_assert(sizeof(Arrival) == 40);

}  // namespace warptime::sim
