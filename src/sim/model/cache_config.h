// The parameters of one cache: of the machine's (sim/model/machine.h) and of the CPU baseline's processor.
#pragma once

#include <cstdint>

#include "base/config_struct.h"

namespace warptime::sim {

/// The line of a set that makes room for another: the least recently used; nearly that, by a tree of bits that point
/// away from what was used last; or any.
CONFIG_ENUM(Replacement, lru, pseudo_lru, random)
/// What selects the set of a line: the low bits of its number, or a hash of all of its bits.
CONFIG_ENUM(SetIndex, low_bits, hashed)

/// What some caches have beside a CacheConfig.
struct CacheShape {
  uint32_t sector_bytes = ~uint32_t{0};  // a power of two; one of a line or more: a line is one sector
  Replacement replacement = Replacement::lru;
  SetIndex sets = SetIndex::low_bits;
};

// clang-format off
#define CACHE_PARAMS(P)                                                                                                 \
  P(uint32_t, bytes,                  0,    range(0, 67108864), "bytes; 0: no such cache")                   \
  P(uint32_t, line_bytes,             64,   power_of_two(32, 256), "per line: bytes of a line; more than 128 only of a cache for constants in a TPC") \
  P(uint32_t, ways,                   4,    range(1, 64),     "per set: lines of a set")                                        \
  P(uint32_t, latency,                0,    range(0, 10000),  "per lookup: cycles from a lookup that hits to the data; of an SM's constant and instruction cache 0, as it is part of load_latency and of the pipeline")
CONFIG_STRUCT(CacheConfig, CACHE_PARAMS)

#define UNIFORM_CACHE_PARAMS(P)                                                                                         \
  P(uint32_t, bytes,                  0,    range(0, 4096),   "bytes of its lines, any of which replaces the least recently used one; 0: no such cache") \
  P(uint32_t, line_bytes,             64,   power_of_two(32, 128), "per line: bytes of a line")                           \
  P(uint32_t, load_latency,           20,   range(1, 1000),   "per warp instruction: from issue of a load that hits to its result") \
  P(uint32_t, miss_cycles,            0,    range(0, 10000),  "per request: cycles of a miss until a line of constant.tpc_cache is there") \
  P(uint32_t, fill_cycles,            0,    range(0, 1000),   "in each SM: cycles from a line for one of its schedulers to the next")
CONFIG_STRUCT(UniformCacheConfig, UNIFORM_CACHE_PARAMS)
// clang-format on

}  // namespace warptime::sim
