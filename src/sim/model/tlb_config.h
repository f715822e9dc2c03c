// The parameters of address translation: rows as those of machine.h.
#pragma once

#include <cstdint>

#include "base/config_struct.h"

namespace warptime::sim {

// clang-format off
#define TLB_LEVEL_PARAMS(P)                                                                                             \
  P(uint32_t, entries,                0,    range(0, 65536),  "translations that the level holds; 0: no such level")     \
  P(uint32_t, ways,                   16,   range(1, 64),     "per set: translations of a set")                          \
  P(uint64_t, page_bytes,             4096, power_of_two(256, 1 << 30), "per page: bytes of addresses that share one translation") \
  P(uint32_t, miss_cycles,            0,    range(0, 100000), "per lookup: cycles that a miss adds for the next level, in the last level for the walk of the page tables")
CONFIG_STRUCT(TlbLevelConfig, TLB_LEVEL_PARAMS)

#define TLB_PARAMS(P)                                                                                                   \
  P(TlbLevelConfig, l1,               {},   any(),            "in each TPC: first level of address translation")         \
  P(TlbLevelConfig, l2,               {},   any(),            "in each TPC: second level of address translation")        \
  P(uint32_t, walk_interval,          0,    range(0, 100000), "in each TPC: cycles from the start of a walk of the page tables to that of the next")
CONFIG_STRUCT(TlbConfig, TLB_PARAMS)
// clang-format on

}  // namespace warptime::sim
