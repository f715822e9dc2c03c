// One f64 operation at a time on integers, rounded once in any of the four modes: what the lanes use where the host
// has no instruction that gives the right bits (directed roundings without touching the host's rounding mode, and a
// fused multiply-add on hosts without one). Operands are finite; infinities and NaN are the callers'.
#pragma once

#include <bit>
#include <cstdint>

#include "ptx/isa/integer_lanes.h"

namespace warptime::ptx::inline WARPTIME_ISA {

/// A number without rounding: significand * 2^exponent.
struct Exact {
  bool negative = false;
  int exponent = 0;
  Uint128 significand = 0;

  /// Leading zeros of the significand, which is not zero.
  int leading() const {
    auto high = static_cast<uint64_t>(significand >> 64);
    return high != 0 ? std::countl_zero(high) : 64 + std::countl_zero(static_cast<uint64_t>(significand));
  }
  /// An equal number whose significand has `zeros` leading zeros.
  Exact with_leading(int zeros) const {
    int shift = leading() - zeros;
    return {negative, exponent - shift, significand << shift};
  }
};

inline Exact exact(double x) {
  auto bits = std::bit_cast<uint64_t>(x);
  int biased = static_cast<int>(bits >> 52 & 0x7ff);
  uint64_t fraction = bits & 0xfffffffffffffu;
  if (biased == 0) return {bits >> 63 != 0, -1074, fraction};
  return {bits >> 63 != 0, biased - 1075, fraction | uint64_t{1} << 52};
}

/// The nearest f64 as M rounds; `rest`: the number is greater in magnitude by less than one of its last bits. The
/// significand is below 2^126.
template <ModSet M>
inline double rounded(const Exact& x, bool rest = false) {
  constexpr uint64_t kInfinity = uint64_t{0x7ff} << 52;
  uint64_t sign = x.negative ? uint64_t{1} << 63 : 0;
  if (x.significand == 0) return std::bit_cast<double>(sign);
  int last = x.exponent + 127 - x.leading() - 52;  // exponent of the last place
  if (last < -1074) last = -1074;
  int dropped = last - x.exponent;
  uint64_t kept = 0;
  bool half = false;
  if (dropped <= 0) {
    kept = static_cast<uint64_t>(x.significand << -dropped);
  } else if (dropped > 127) {
    rest = true;
  } else {
    kept = static_cast<uint64_t>(x.significand >> dropped);
    Uint128 below = x.significand - (Uint128{kept} << dropped), middle = Uint128{1} << (dropped - 1);
    half = below >= middle;
    rest |= below != 0 && below != middle;
  }
  bool up = false;
  if constexpr (rounds_to_nearest(M)) up = half && (rest || (kept & 1) != 0);
  if constexpr (M.has(Mod::Rm)) up = (half || rest) && x.negative;
  if constexpr (M.has(Mod::Rp)) up = (half || rest) && !x.negative;
  // A normal number's leading bit carries into the exponent, and so does rounding up to the next power of two.
  uint64_t bits = (static_cast<uint64_t>(last + 1074) << 52) + kept + (up ? 1 : 0);
  if (bits >= kInfinity) {
    bool away = rounds_to_nearest(M) || (M.has(Mod::Rm) && x.negative) || (M.has(Mod::Rp) && !x.negative);
    bits = away ? kInfinity : kInfinity - 1;
  }
  return std::bit_cast<double>(sign | bits);
}

inline Exact exact_product(double a, double b) {
  Exact x = exact(a), y = exact(b);
  return {x.negative != y.negative, x.exponent + y.exponent, x.significand * y.significand};
}

template <ModSet M>
inline double rounded_sum(Exact x, Exact y) {
  if (x.significand == 0 && y.significand == 0 && x.negative != y.negative) return M.has(Mod::Rm) ? -0.0 : 0.0;
  if (x.significand == 0) return rounded<M>(y);
  if (y.significand == 0) return rounded<M>(x);
  x = x.with_leading(3);  // the sum stays below 2^126
  y = y.with_leading(3);
  if (y.exponent > x.exponent || (y.exponent == x.exponent && y.significand > x.significand)) std::swap(x, y);
  int shift = x.exponent - y.exponent;
  bool rest = false;  // of y, below the last bit
  if (shift > 127) {
    rest = true;
    y.significand = 0;
  } else if (shift > 0) {
    rest = (y.significand << (128 - shift)) != 0;
    y.significand >>= shift;
  }
  if (x.negative == y.negative) {
    x.significand += y.significand;
  } else {
    x.significand -= y.significand + (rest ? 1 : 0);
    if (x.significand == 0) return M.has(Mod::Rm) ? -0.0 : 0.0;
  }
  return rounded<M>(x, rest);
}

/// a / b; neither is zero.
template <ModSet M>
inline double rounded_quotient(double a, double b) {
  Exact x = exact(a).with_leading(3), y = exact(b).with_leading(3 + 62);
  Uint128 quotient = x.significand / y.significand;  // 62 or 63 bits
  bool rest = quotient * y.significand != x.significand;
  return rounded<M>({x.negative != y.negative, x.exponent - y.exponent, quotient}, rest);
}

/// The square root of a > 0, of which `nearest` is the nearest f64: the sign of the remainder says on which side.
template <ModSet M>
inline double rounded_root(double a, double nearest) {
  Exact x = exact(a), root = exact(nearest);
  Uint128 square = root.significand * root.significand, value = x.significand << (x.exponent - 2 * root.exponent);
  Uint128 quarters = 4 * root.significand;
  if (value > square) ++quarters;
  if (value < square) --quarters;
  return rounded<M>({false, root.exponent - 2, quarters});
}

}  // namespace warptime::ptx::inline WARPTIME_ISA
