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
  bool write_back = false;    // a dirty line that a cache evicted: it has no answer
  bool needs_lookup = false;  // in caches or other requests on arrival: it may not need DRAM

  template <class Archive>
  void serialize(Archive& archive) {
    archive(at, request, mshr);
    archive.index(tpc, archive.limits.tpcs);
    archive(write_back, needs_lookup);
  }
};
static_assert(sizeof(Arrival) == 40);

}  // namespace warptime::sim
