// The parameters of one cache: of the machine's (sim/model/machine.h) and of the CPU baseline's processor.
#pragma once

#include <cstdint>

#include "base/config_struct.h"

namespace warptime::sim {

// clang-format off
#define CACHE_PARAMS(P)                                                                                                 \
  P(uint32_t, bytes,                  0,    range(0, 67108864), "bytes; 0: no such cache")                   \
  P(uint32_t, line_bytes,             64,   power_of_two(32, 128), "per line: bytes of a line")                                  \
  P(uint32_t, ways,                   4,    range(1, 64),     "per set: lines of a set")                                        \
  P(uint32_t, latency,                0,    range(0, 10000),  "per lookup: cycles from a lookup that hits to the data; of an SM's constant and instruction cache 0, as it is part of load_latency and of the pipeline")
CONFIG_STRUCT(CacheConfig, CACHE_PARAMS)
// clang-format on

}  // namespace warptime::sim
