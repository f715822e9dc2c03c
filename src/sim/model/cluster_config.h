// What passes between the SMs of a GPC for clusters of blocks (docs/clusters.md): a row for each parameter, as in
// machine.h.
#pragma once

#include <cstdint>

#include "base/config_struct.h"

namespace warptime::sim {

// clang-format off
#define CLUSTER_PARAMS(P)                                                                                               \
  P(uint32_t, access_latency,         64,   range(8, 10000),  "per warp instruction: from issue of an access to the shared memory of another block of the cluster until it is performed there; at least chip.window_cycles") \
  P(uint32_t, load_latency,           128,  range(16, 20000), "per warp instruction: from issue of such a load to its result; at least access_latency and chip.window_cycles together") \
  P(uint32_t, atomic_latency,         128,  range(16, 20000), "per warp instruction: the same of an atomic operation")     \
  P(uint32_t, own_load_latency,       26,   range(1, 10000),  "per warp instruction: from issue of ld.shared::cluster to its result, where it reads the block's own shared memory") \
  P(uint32_t, own_atomic_latency,     26,   range(1, 10000),  "per warp instruction: the same of an atomic operation")     \
  P(double,   bytes_per_cycle,        32,   range(1, 1024),   "in each SM: bytes per cycle that it sends to other SMs: of accesses, and of what others load from it") \
  P(uint32_t, request_bytes,          3,    range(0, 64),     "per thread: bytes that a load from another block sends there")  \
  P(uint32_t, async_latency,          64,   range(8, 10000),  "per copy: from issue of st.async or red.async until the mbarrier object of another block counts it; at least chip.window_cycles") \
  P(uint32_t, arrive_latency,         64,   range(8, 10000),  "per warp instruction: from issue of an arrival until the mbarrier object of another block counts it; at least chip.window_cycles") \
  P(uint32_t, copy_latency,           64,   range(8, 10000),  "per copy: by how much later than in the own block a copy from global or shared memory has arrived in another; at least chip.window_cycles") \
  P(uint32_t, multicast_latency,      0,    range(0, 10000),  "per copy: by how much later one with multicast is complete than one without, in the own block as well") \
  P(uint32_t, barrier_latency,        64,   range(8, 10000),  "per cluster: from the last arrival at the barrier of the cluster until those who wait may go on; at least chip.window_cycles") \
  P(uint32_t, barrier_arrival_cycles, 0,    range(0, 1000),   "in each SM: cycles from the arrival of a warp at such a barrier to that of the next, of whatever blocks")
CONFIG_STRUCT(ClusterConfig, CLUSTER_PARAMS)
// clang-format on

}  // namespace warptime::sim
