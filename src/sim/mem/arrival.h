// A request that has passed a partition's input port: an entry of the partition's queues. It is copied from queue to
// queue, because data that are stored in the order of use are in the host's caches.
#pragma once

#include <bit>
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
  // What a cache lacks of a read, which comes from DRAM: granules as of PartitionRequest::granules; of others 0.
  uint8_t missing : 4 = 0;
  bool fills : 1 = false;  // a read before a write_back of sectors that stores wrote in part

  Addr dram_offset() const {
    if (missing == 0) return request.offset();
    return request.block() + static_cast<uint32_t>(std::countr_zero(missing)) * PartitionRequest::kGranule;
  }
  uint32_t dram_bytes() const {
    return missing == 0 ? request.bytes : static_cast<uint32_t>(std::popcount(missing)) * PartitionRequest::kGranule;
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(at, request, mshr);
    archive.index(tpc, archive.limits.tpcs);
    bool is_write_back = write_back, is_fill = fills, is_looked_up = needs_lookup;
    uint8_t is_missing = missing;
    archive(is_write_back, is_fill, is_looked_up, is_missing);
    write_back = is_write_back;
    fills = is_fill;
    needs_lookup = is_looked_up;
    missing = is_missing & 0xf;
  }
};
static_assert(sizeof(Arrival) == 40);

}  // namespace warptime::sim
