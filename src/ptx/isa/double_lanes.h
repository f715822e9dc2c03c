// f64 arithmetic on vectors of lanes: IEEE 754 with subnormal numbers, four rounding modes, no .ftz. To nearest it is
// the host's own; other roundings go lane by lane through double_exact.h.
//
// NaN: the manual leaves the bits open. Hardware hands on the bits of an operand that is a NaN, made quiet, and of two
// it prefers b (div: a; fma: b, then c, then a); an invalid operation gives 0xfff8000000000000. (Measured on an H200,
// compute capability 9.0; abs and neg leave a NaN's sign as it is, which CUDA C Programming Guide 4.2, F.2 says for
// all.)
#pragma once

#include "ptx/isa/double_exact.h"

namespace warptime::ptx::inline WARPTIME_ISA {

template <class V>
inline constexpr bool kIsDouble = std::is_same_v<Lane<V>, double>;

inline constexpr uint64_t kInvalidDouble = 0xfff8000000000000u;

/// A NaN made quiet; other numbers as they are.
template <class W>
inline W quiet(W x) {
  auto nan = as<uint64_t>(mask_of<W>(x != x));
  return as<double>(bits_of(x) | (nan & splat<Like<W, uint64_t>>(uint64_t{1} << 51)));
}
template <class W>
inline W first_nan() {
  return as<double>(splat<Like<W, uint64_t>>(kInvalidDouble));
}
template <class W, class... More>
inline W first_nan(W x, More... more) {
  return select(mask_of<W>(x != x), quiet(x), first_nan<W>(more...));
}
/// `result`; where it is a NaN, the first of `operands` that is one.
template <class W, class... Operands>
inline W or_nan_of(W result, Operands... operands) {
  return select(mask_of<W>(result == result), result, first_nan<W>(operands...));
}

inline bool is_finite(double x) { return x - x == 0; }

template <ModSet M, class W>
requires kIsDouble<W>
inline W rounded_add(W a, W b) {
  if constexpr (rounds_to_nearest(M)) {
    return a + b;
  } else {
    return each<double>(
        [](double x, double y) { return is_finite(x) && is_finite(y) ? rounded_sum<M>(exact(x), exact(y)) : x + y; }, a,
        b);
  }
}

template <ModSet M, class W>
requires kIsDouble<W>
inline W rounded_mul(W a, W b) {
  if constexpr (rounds_to_nearest(M)) {
    return a * b;
  } else {
    return each<double>(
        [](double x, double y) { return is_finite(x) && is_finite(y) ? rounded<M>(exact_product(x, y)) : x * y; }, a,
        b);
  }
}

template <ModSet M, class W>
requires kIsDouble<W>
inline W rounded_fma(W a, W b, W c) {
#if defined(__AVX512F__)
  if constexpr (rounds_to_nearest(M) && sizeof(W) == 64) return (W)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif defined(__FMA__)
  if constexpr (rounds_to_nearest(M) && sizeof(W) == 32) return (W)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#endif
  return each<double>(
      [](double x, double y, double z) {
        if (!is_finite(x) || !is_finite(y)) return x * y + z;
        return is_finite(z) ? rounded_sum<M>(exact_product(x, y), exact(z)) : z;
      },
      a, b, c);
}

template <ModSet M, class W>
requires kIsDouble<W>
inline W rounded_div(W a, W b) {
  if constexpr (rounds_to_nearest(M)) {
    return a / b;
  } else {
    return each<double>(
        [](double x, double y) {
          bool plain = is_finite(x) && is_finite(y) && x != 0 && y != 0;
          return plain ? rounded_quotient<M>(x, y) : x / y;
        },
        a, b);
  }
}

template <ModSet M, class W>
requires kIsDouble<W>
inline W rounded_sqrt(W a) {
  W nearest = square_root(a);
  if constexpr (rounds_to_nearest(M)) {
    return nearest;
  } else {
    return each<double>([](double x, double s) { return x > 0 && is_finite(x) ? rounded_root<M>(x, s) : s; }, a,
                        nearest);
  }
}

/// The lesser as min has it: the other operand for a NaN, and -0 before +0.
template <class W>
inline W least_double(W a, W b) {
  auto nan_a = mask_of<W>(a != a), nan_b = mask_of<W>(b != b);
  auto lower = mask_of<W>(a < b) | (mask_of<W>(a == b) & mask_of<W>(as<int64_t>(a) < Like<W, int64_t>{}));
  return quiet(select(nan_a, b, select(nan_b, a, select(lower, a, b))));
}

}  // namespace warptime::ptx::inline WARPTIME_ISA
