// Result latency classes, one row each: when the result of an instruction may be used. The machine file gives each its
// cycles under the same key (`latency:`); machine.h has the defaults.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warptime::ptx {

// With `native_cost: g80` they count for PTX instructions that are one native instruction; a sequence takes the
// latencies of its steps.
//
//       enumerator    key            what it covers
#define PTX_LATENCIES(ROW, X)                                                                       \
  ROW(X, IntAlu, int_alu, "integer add, logic, shift, compare, select, move")                       \
  ROW(X, IntMul, int_mul, "32-bit integer multiply and multiply-add (lo)")                          \
  ROW(X, IntMul24, int_mul24, "16-bit and 24-bit multiply and multiply-add")                        \
  ROW(X, IntMulHi, int_mul_hi, "high half of a 32-bit product and 64-bit products")                 \
  ROW(X, IntDiv, int_div, "integer divide and remainder")                                           \
  ROW(X, FloatAlu, float_alu, "f32 add, multiply, compare, min, max")                               \
  ROW(X, FloatMad, float_mad, "f32 multiply-add and fused multiply-add")                            \
  ROW(X, FloatDiv, float_div, "f32 divide")                                                         \
  ROW(X, Convert, convert, "conversion between types")                                              \
  ROW(X, Special, special, "reciprocal, reciprocal square root, logarithm")                         \
  ROW(X, SpecialRange, special_range, "sine, cosine, exponential, square root (two native steps)")  \
  ROW(X, Double, double_alu, "f64 arithmetic, comparison and conversion")                           \
  ROW(X, DoubleDiv, double_div, "f64 divide, reciprocal and square root")                           \
  ROW(X, Shuffle, shuffle, "exchange between lanes, with native_cost sm_90")                        \
  ROW(X, Tensor, tensor, "product of matrices, without what its size adds (tensor.)")               \
  ROW(X, TensorDouble, tensor_double, "product of matrices of f64, without its cycles in the pipe") \
  ROW(X, Branch, branch, "branch, call, return: until the next instruction of the warp may issue")

enum class Latency : uint8_t {
#define X(unused, name, ...) name,
  PTX_LATENCIES(X, )
#undef X
      Memory,  // loads and atomics: the memory system says when, this class has no number
};

struct LatencyInfo {
  std::string_view key;
};
inline constexpr std::array kLatencies {
#define X(unused, name, key, what) LatencyInfo{#key},
  PTX_LATENCIES(X, )
#undef X
  LatencyInfo { "memory" }
};
constexpr const LatencyInfo& info(Latency latency) { return kLatencies[static_cast<size_t>(latency)]; }

}  // namespace warptime::ptx
