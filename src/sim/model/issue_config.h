// The parameters of instruction issue: rows as those of machine.h.
#pragma once

#include <cstdint>

#include "base/config_struct.h"

namespace warptime::sim {

CONFIG_ENUM(WarpPolicy, round_robin, greedy_then_oldest, oldest_first, two_level)

// clang-format off
#define ISSUE_PARAMS(P)                                                                                                 \
  P(WarpPolicy, policy,               WarpPolicy::round_robin, any(), "choice among the ready warps")                       \
  P(uint32_t, ports,                  1,    range(1, 8),      "in each SM: warp schedulers; the warp in slot w belongs to scheduler w mod issue.ports") \
  P(bool,     dual,                   false, any(),           "whether a warp scheduler may issue a warp's next instruction in the same cycle, if it needs no result and its pipe is free") \
  P(uint32_t, group_warps,            8,    range(1, 64),     "per warp scheduler: two_level: warps per group; a group has priority until all of its warps wait for memory or a barrier") \
  P(uint32_t, interval,               2,    range(1, 32),     "per warp instruction: cycles that an instruction holds the warp scheduler")        \
  P(uint32_t, branch_cycles,          4,    range(1, 1000),   "per warp instruction: cycles that a branch holds the warp scheduler, unless it is a loop's") \
  P(uint32_t, loop_branch_cycles,     6,    range(1, 1000),   "per warp instruction: cycles that a branch to an earlier instruction holds the warp scheduler") \
  P(uint32_t, barrier_cycles,         4,    range(1, 1000),   "per warp instruction: cycles that a barrier instruction holds the warp scheduler") \
  P(uint32_t, barrier_arrival_cycles, 0,    range(0, 1000),   "in each SM: cycles from the arrival of a warp at a barrier to that of the next, of whatever blocks; 0: any number arrive together") \
  P(uint32_t, barrier_latency,        20,   range(1, 1000),   "per block: from the last warp's arrival at a barrier to the release of the block's warps") \
  P(uint32_t, guard_delay,            0,    range(0, 1000),   "per warp instruction: with native_cost sm_*: cycles by which a predicate guards an instruction later than one can read it as an operand") \
  P(uint32_t, pipe_delay,             0,    range(0, 1000),   "per warp instruction: with native_cost sm_*: cycles by which a result of arithmetic reaches another pipe later than its own") \
  P(uint32_t, special_delay,          0,    range(0, 1000),   "per warp instruction: the same of the pipe of special functions") \
  P(uint32_t, access_interval,        0,    range(0, 1000),   "per warp instruction: with native_cost sm_*: cycles from an access to memory to the next one of the same warp; 0: interval") \
  P(uint32_t, not_taken_latency,      0,    range(0, 10000),  "per warp instruction: cycles from a branch that no lane takes to the warp's next instruction; 0: latency.branch")
CONFIG_STRUCT(IssueConfig, ISSUE_PARAMS)
// clang-format on

}  // namespace warptime::sim
