// The parameters of an SM's pipes (ptx/isa/unit.h): rows as those of machine.h.
#pragma once

#include <cstdint>

#include "base/config_struct.h"

namespace warptime::sim {

CONFIG_ENUM(PipeReach, all_schedulers, own_scheduler)

// clang-format off
#define SP_PARAMS(P)                                                                                                    \
  P(uint32_t, initiation,             4,    range(1, 128),    "per warp instruction: cycles from one warp instruction to the next in a group") \
  P(uint32_t, groups,                 1,    range(1, 16),     "in each SM: groups of streaming processors that take warp instructions independently") \
  P(PipeReach, reach,                 PipeReach::all_schedulers, any(), "which groups a warp scheduler reaches: all, or group g only from scheduler g mod issue.ports") \
  P(uint32_t, product_initiation,     2,    range(1, 128),    "per warp instruction: cycles that an integer product takes of a group, with native_cost sm_70 to sm_90: half of the lanes have a multiplier")
CONFIG_STRUCT(SpConfig, SP_PARAMS)

#define DP_PARAMS(P)                                                                                                    \
  P(uint32_t, initiation,             32,   range(1, 128),    "per warp instruction: cycles from one warp instruction to the next in a group") \
  P(uint32_t, groups,                 1,    range(1, 16),     "in each SM: groups of double-precision units") \
  P(PipeReach, reach,                 PipeReach::all_schedulers, any(), "which groups a warp scheduler reaches: all, or group g only from scheduler g mod issue.ports")
CONFIG_STRUCT(DpConfig, DP_PARAMS)

#define TENSOR_PARAMS(P)                                                                                                \
  P(uint32_t, initiation,             4,    range(1, 128),    "per warp instruction: cycles of mma.m16n8k16 of f16, 2,048 multiply-adds, in a group; of other products in proportion to multiply-adds times bits of an element") \
  P(uint32_t, double_initiation,      64,   range(1, 1024),   "per warp instruction: the same of mma.m16n8k16 of f64, others in proportion to multiply-adds, at least a quarter") \
  P(uint32_t, start_cycles,           2,    range(0, 128),    "per warp instruction: cycles beside initiation for each 2,048 multiply-adds of 16 bits begun; twice where A is sparse") \
  P(uint32_t, depth_cycles,           14,   range(0, 1000),   "per warp instruction: cycles from issue to a usable result of mma.m16n8k16 of f16 beside latency.tensor; of other products in proportion") \
  P(uint32_t, groups,                 1,    range(1, 16),     "in each SM: tensor cores") \
  P(PipeReach, reach,                 PipeReach::all_schedulers, any(), "which of them a warp scheduler reaches: all, or number g only from scheduler g mod issue.ports")
CONFIG_STRUCT(TensorConfig, TENSOR_PARAMS)

#define ALU_PARAMS(P)                                                                                                   \
  P(uint32_t, initiation,             2,    range(1, 128),    "per warp instruction: cycles from one sum, shift, comparison or logic operation to the next in a group; with native_cost sm_70 to sm_90") \
  P(uint32_t, groups,                 1,    range(1, 16),     "in each SM: groups of integer and logic units") \
  P(PipeReach, reach,                 PipeReach::all_schedulers, any(), "which groups a warp scheduler reaches: all, or group g only from scheduler g mod issue.ports")
CONFIG_STRUCT(AluConfig, ALU_PARAMS)

#define COPY_ENGINE_PARAMS(P)                                                                                           \
  P(uint32_t, queue_entries,          0,    range(0, 64),     "in each SM: copies that may wait for the copy engine; 0: there is none, and bulk copies occupy the memory port") \
  P(uint32_t, initiation,             1,    range(1, 1000),   "per copy: cycles from one copy to the next, at least") \
  P(uint32_t, latency,                0,    range(0, 10000),  "per copy: cycles from its start to its first request") \
  P(uint32_t, request_bytes,          128,  power_of_two(32, 128), "per request: aligned bytes that it covers, of which those segments of 32 travel that the copy has") \
  P(uint32_t, request_cycles,         1,    range(1, 128),    "per request: cycles to the next, at least") \
  P(uint32_t, store_latency,          0,    range(0, 10000),  "per copy: cycles until its source in shared memory has been read, after its last request") \
  P(double,   load_bytes_per_cycle,   128,  range(1, 1024),   "in each SM: bytes per cycle that copies write to shared memory as they arrive") \
  P(double,   store_bytes_per_cycle,  128,  range(1, 1024),   "in each SM: bytes per cycle that copies read from shared memory") \
  P(double,   reduce_bytes_per_cycle, 128,  range(1, 1024),   "in each SM: bytes per cycle that reductions read from shared memory") \
  P(double,   shared_bytes_per_cycle, 128,  range(1, 1024),   "in each SM: bytes per cycle of copies from shared memory to shared memory") \
  P(uint32_t, shared_latency,         0,    range(0, 10000),  "per copy: cycles until the last byte of such a copy has arrived, after it has been read")
CONFIG_STRUCT(CopyEngineConfig, COPY_ENGINE_PARAMS)

#define SFU_PARAMS(P)                                                                                                   \
  P(uint32_t, initiation,             16,   range(1, 128),    "per warp instruction: cycles from one warp instruction to the next in a group") \
  P(uint32_t, groups,                 1,    range(1, 16),     "in each SM: groups of special function units") \
  P(PipeReach, reach,                 PipeReach::all_schedulers, any(), "which groups a warp scheduler reaches: all, or group g only from scheduler g mod issue.ports")
CONFIG_STRUCT(SfuConfig, SFU_PARAMS)
// clang-format on

}  // namespace warptime::sim
