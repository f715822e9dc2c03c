// The processor that the CPU baseline runs on: every parameter of core.h, one row each. configs/cpu-*.yaml give the
// values with their sources; the defaults here serve only where such a file says nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/config_struct.h"

namespace warptime::cpu {

CONFIG_ENUM(CpuPipe, fadd, fmul, fmisc, alu, memory)
inline constexpr size_t kCpuPipes = 5;

// clang-format off
#define CPU_OPERATION_PARAMS(P)                                                                                         \
  P(CpuPipe,  pipe,           CpuPipe::alu, any(),            "what it occupies")                                       \
  P(uint32_t, latency,        1,    range(1, 1000),           "cycles from its operands to its result")                 \
  P(uint32_t, busy,           1,    range(1, 1000),           "cycles that it holds one unit of the pipe")              \
  P(uint32_t, packed_latency, 1,    range(1, 1000),           "latency of its packed form, `simd.width` elements at once") \
  P(uint32_t, packed_busy,    1,    range(1, 1000),           "cycles that the packed form holds one unit of the pipe")
CONFIG_STRUCT(CpuOperationConfig, CPU_OPERATION_PARAMS)

// The classes of operations, of one element each: what is counted, and what each costs.
#define CPU_OPERATIONS(P)                                                                                               \
  P(CpuOperationConfig, add,         {}, any(), "f32 addition and subtraction")                                         \
  P(CpuOperationConfig, mul,         {}, any(), "f32 multiplication")                                                   \
  P(CpuOperationConfig, div,         {}, any(), "f32 division")                                                         \
  P(CpuOperationConfig, sqrt,        {}, any(), "f32 square root")                                                      \
  P(CpuOperationConfig, estimate,    {}, any(), "f32 estimate of a reciprocal or reciprocal square root")               \
  P(CpuOperationConfig, compare,     {}, any(), "f32 comparison that decides a branch")                                 \
  P(CpuOperationConfig, logic,       {}, any(), "sign and bits of an f32, minimum, maximum, comparison to a mask")      \
  P(CpuOperationConfig, convert,     {}, any(), "between f32 and integers")                                             \
  P(CpuOperationConfig, integer,     {}, any(), "integer addition, logic, comparison")                                  \
  P(CpuOperationConfig, shift,       {}, any(), "integer shift and rotation")                                           \
  P(CpuOperationConfig, integer_mul, {}, any(), "integer multiplication")                                               \
  P(CpuOperationConfig, integer_div, {}, any(), "integer division and remainder")                                       \
  P(CpuOperationConfig, branch,      {}, any(), "conditional branch")                                                   \
  P(CpuOperationConfig, load,        {}, any(), "load that hits the first cache")                                       \
  P(CpuOperationConfig, store,       {}, any(), "store")
CONFIG_STRUCT(CpuOperationsConfig, CPU_OPERATIONS)

#define CPU_UNITS_PARAMS(P)                                                                                             \
  P(uint32_t, fadd,           1,    range(1, 8),              "units that add floating-point numbers")                  \
  P(uint32_t, fmul,           1,    range(1, 8),              "units that multiply them")                               \
  P(uint32_t, fmisc,          1,    range(1, 8),              "units for conversions and moves of them")                \
  P(uint32_t, alu,            3,    range(1, 8),              "integer units")                                          \
  P(uint32_t, memory,         2,    range(1, 8),              "accesses to the first cache in a cycle")
CONFIG_STRUCT(CpuUnitsConfig, CPU_UNITS_PARAMS)

#define CPU_FRONT_PARAMS(P)                                                                                             \
  P(uint32_t, width,          3,    range(1, 16),             "macro-operations decoded in a cycle")                    \
  P(uint32_t, window,         72,   range(1, 1024),           "macro-operations between decoding and retirement, which is in order") \
  P(uint32_t, mispredict,     10,   range(0, 1000),           "cycles from a mispredicted branch's outcome to the next decoded operation") \
  P(uint32_t, history,        12,   range(1, 20),             "outcomes of earlier branches that choose the 2-bit counter of a branch")
CONFIG_STRUCT(CpuFrontConfig, CPU_FRONT_PARAMS)

#define CPU_SIMD_PARAMS(P)                                                                                              \
  P(uint32_t, width,          4,    range(1, 16),             "f32 elements of a packed operation")                     \
  P(uint32_t, macro_operations, 2,  range(1, 16),             "macro-operations that a packed operation is decoded to")
CONFIG_STRUCT(CpuSimdConfig, CPU_SIMD_PARAMS)

#define CPU_FUNCTION_PARAMS(P)                                                                                           \
  P(uint32_t, sin_cos,        100,  range(1, 10000),          "cycles of a call of sinf or cosf, during which nothing else is decoded") \
  P(uint32_t, packed_sin_cos, 100,  range(1, 10000),          "the same of the fast library's call for `simd.width` elements")
CONFIG_STRUCT(CpuFunctionConfig, CPU_FUNCTION_PARAMS)

#define CPU_CACHE_PARAMS(P)                                                                                             \
  P(uint32_t, bytes,          65536, range(1024, 67108864),   "bytes")                                                  \
  P(uint32_t, ways,           2,    range(1, 64),             "lines of a set")
CONFIG_STRUCT(CpuCacheConfig, CPU_CACHE_PARAMS)

#define CPU_MEMORY_PARAMS(P)                                                                                            \
  P(uint32_t, forward,        0,    range(0, 1000),           "cycles from a store's data to a load of them")           \
  P(uint32_t, line_bytes,     64,   power_of_two(16, 256),    "bytes of a line")                                        \
  P(CpuCacheConfig, l1,       (CpuCacheConfig{65536, 2}), any(), "first cache")                                         \
  P(CpuCacheConfig, l2,       (CpuCacheConfig{1048576, 16}), any(), "second cache, which holds what the first has evicted") \
  P(uint32_t, l2_latency,     12,   range(0, 1000),           "cycles that a load from the second cache takes longer")  \
  P(uint32_t, l2_line_cycles, 8,    range(1, 1000),           "cycles of a line on its way between the caches")         \
  P(double,   latency_ns,     60,   range(0, 10000),          "from a miss of both caches to its data")                 \
  P(double,   gb_s,           3.2,  range(0.01, 1000),        "memory bandwidth that one thread gets, lines read and written together") \
  P(uint32_t, outstanding,    8,    range(1, 64),             "lines on their way from memory at a time")               \
  P(uint32_t, prefetch,       0,    range(0, 64),             "lines that a miss of the first cache fetches ahead into the second, where the line before it is cached")
CONFIG_STRUCT(CpuMemoryConfig, CPU_MEMORY_PARAMS)

#define CPU_PARAMS(P)                                                                                                   \
  P(std::string, description, "",   any(),                    "one line for people")                                    \
  P(double,   clock_mhz,      2200, range(1, 100000),         "clock, MHz")                                             \
  P(CpuFrontConfig, front,    {},   any(),                    "decoding and prediction")                                \
  P(CpuUnitsConfig, units,    {},   any(),                    "units of each pipe")                                     \
  P(CpuOperationsConfig, operations, {}, any(),               "what each class of operations costs")                    \
  P(CpuSimdConfig, simd,      {},   any(),                    "packed operations")                                      \
  P(CpuFunctionConfig, functions, {}, any(),                   "functions that no instruction computes")                 \
  P(CpuMemoryConfig, memory,  {},   any(),                    "caches and memory")
CONFIG_STRUCT(CpuConfig, CPU_PARAMS)
// clang-format on

#define CPU_OPERATION_NAME(type, name, init, check, doc) name,
/// A class of operations, and calls of the mathematical library.
enum class CpuOperation : uint8_t { CPU_OPERATIONS(CPU_OPERATION_NAME) sin_cos };
#undef CPU_OPERATION_NAME
inline constexpr size_t kCpuOperations = static_cast<size_t>(CpuOperation::sin_cos) + 1;

/// A processor with a name; everything else only reads it.
struct Cpu {
  std::string name;  // "cpu-opteron-248"
  std::string hash;  // 16 hex digits over the resolved values
  CpuConfig config;
};

}  // namespace warptime::cpu
