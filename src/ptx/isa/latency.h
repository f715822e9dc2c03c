// Result latency classes, one row each: when the result of an instruction may be used. The machine file gives each its
// cycles under the same key (`latency:`); machine.h has the defaults.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warptime::ptx {

// Of several native instructions, its cycles are those of the last one, or of the whole sequence.
//
//       enumerator    key            cycles    what it covers
#define PTX_LATENCIES(ROW, X)                                                                                \
  ROW(X, IntAlu, int_alu, Last, "integer add, logic, shift, compare, select, move")                          \
  ROW(X, IntMul, int_mul, Sequence, "32-bit integer multiply and multiply-add (lo)")                         \
  ROW(X, IntMul24, int_mul24, Last, "16-bit and 24-bit multiply and multiply-add")                           \
  ROW(X, IntMulHi, int_mul_hi, Sequence, "high half of a 32-bit product and 64-bit products")                \
  ROW(X, IntDiv, int_div, Sequence, "integer divide and remainder")                                          \
  ROW(X, FloatAlu, float_alu, Last, "f32 add, multiply, compare, min, max")                                  \
  ROW(X, FloatMad, float_mad, Last, "f32 multiply-add and fused multiply-add")                               \
  ROW(X, FloatDiv, float_div, Sequence, "f32 divide")                                                        \
  ROW(X, Convert, convert, Last, "conversion between types")                                                 \
  ROW(X, Special, special, Last, "reciprocal, reciprocal square root, logarithm")                            \
  ROW(X, SpecialRange, special_range, Sequence, "sine, cosine, exponential, square root (two native steps)") \
  ROW(X, Double, double_alu, Last, "f64 arithmetic, comparison and conversion")                              \
  ROW(X, DoubleDiv, double_div, Sequence, "f64 divide, reciprocal and square root")                          \
  ROW(X, Branch, branch, Last, "branch, call, return: until the next instruction of the warp may issue")

enum class Latency : uint8_t {
#define X(unused, name, ...) name,
  PTX_LATENCIES(X, )
#undef X
      Memory,  // loads and atomics: the memory system says when, this class has no number
};

struct LatencyInfo {
  enum class Of : uint8_t { Last, Sequence };
  std::string_view key;
  Of cycles;
};
inline constexpr std::array kLatencies {
#define X(unused, name, key, cycles, what) LatencyInfo{#key, LatencyInfo::Of::cycles},
  PTX_LATENCIES(X, )
#undef X
  LatencyInfo { "memory", LatencyInfo::Of::Last }
};
constexpr const LatencyInfo& info(Latency latency) { return kLatencies[static_cast<size_t>(latency)]; }

}  // namespace warptime::ptx
