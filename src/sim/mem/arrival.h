// A request that has passed a partition's port in: what its queues hold. It is moved from queue to queue, as what lies
// in the order in which it is used is in the host's caches when it is.
#pragma once

#include <cstdint>

#include "sim/mem/crossbar.h"

namespace warptime::sim {

inline constexpr uint32_t kNoMshr = ~uint32_t{0};

struct Arrival {
  uint64_t at = 0;           // memory cycle from which it is in the queue
  PartitionRequest request;  // with_previous: its answer leaves with that of the request before it
  uint32_t mshr = kNoMshr;   // of a read that others may be merged with
  uint16_t tpc = 0;
  bool write_back = false;    // a dirty line that a cache evicted: it has no answer
  bool needs_lookup = false;  // of caches or other requests, when it arrives: it may not go to DRAM
};
static_assert(sizeof(Arrival) == 40);

}  // namespace warptime::sim
