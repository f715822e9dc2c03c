// Sine, cosine, logarithm, power of 2 and hyperbolic tangent in double precision, from +, -, *, / and bit operations
// alone. Relative errors are around 1e-13, far below the last bit of an f32.
#pragma once

#include <array>

#include "ptx/isa/float_lanes.h"
#include "ptx/isa/integer_lanes.h"

namespace warptime::ptx::inline WARPTIME_ISA {

/// c0 + x (c1 + x (c2 + ...)).
template <class W>
inline W polynomial(W x, double last) {
  (void)x;
  return splat<W>(last);
}
template <class W, class... More>
inline W polynomial(W x, double first, More... more) {
  return splat<W>(first) + x * polynomial(x, more...);
}

/// 2^x.
template <class W>
inline W power2(W x) {
  W n = rounded_integer<ModSet::of(Mod::Rni)>(x);
  n = select(mask_of<W>(n < splat<W>(300.0)), n, splat<W>(300.0));  // infinity as f32
  n = select(mask_of<W>(n > splat<W>(-300.0)), n, splat<W>(-300.0));
  W t = (x - n) * splat<W>(0.69314718055994530942);
  W fraction = polynomial(t, 1.0, 1.0, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320,
                          1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800);
  // 2^n by its exponent: n + 1023 in the low bits of a sum with 2^52.
  using U = Like<W, uint64_t>;
  U exponent = bits_of(n + splat<W>(4503599627370496.0 + 1023.0)) << 52;
  W result = select(mask_of<W>(magnitude(x) < splat<W>(300.0)), fraction * as<double>(exponent),
                    select(mask_of<W>(x > W{}), splat<W>(1e300), W{}));
  return select(mask_of<W>(x == x), result, x);
}

/// Logarithm to base 2 of an f32's value (so never subnormal here).
template <class W>
inline W logarithm2(W x) {
  using U = Like<W, uint64_t>;
  // x = 2^e m with m from 1/sqrt(2) to sqrt(2): count exponents from there.
  U offset = bits_of(x) - splat<U>(0x3fe6a09e667f3bcdu);
  U e = offset >> 52;  // two's complement in 12 bits
  W m = as<double>(bits_of(x) - (e << 52));
  W exponent = as<double>(((e + splat<U>(2048)) & splat<U>(4095)) | splat<U>(0x4330000000000000u)) -
               splat<W>(4503599627370496.0 + 2048.0);
  W s = (m - splat<W>(1.0)) / (m + splat<W>(1.0)), z = s * s;
  W atanh = s * polynomial(z, 1.0, 1.0 / 3, 1.0 / 5, 1.0 / 7, 1.0 / 9, 1.0 / 11, 1.0 / 13, 1.0 / 15, 1.0 / 17);
  W result = exponent + atanh * splat<W>(2.88539008177792681472);
  W infinity = splat<W>(__builtin_inf());
  result = select(mask_of<W>(x < infinity), result, x);
  result = select(mask_of<W>(x == W{}), -infinity, result);
  return select(mask_of<W>(x < W{}), splat<W>(__builtin_nan("")), result);
}

template <class W>
inline W hyperbolic_tangent(W x) {
  W size = magnitude(x), z = x * x;
  W e = power2(size * splat<W>(2.88539008177792681472));
  W far = with_sign(splat<W>(1.0) - splat<W>(2.0) / (e + splat<W>(1.0)), x);
  W near = x * polynomial(z, 1.0, -1.0 / 3, 2.0 / 15, -17.0 / 315);
  W result = select(mask_of<W>(size < splat<W>(0.01)), near, far);
  return select(mask_of<W>(x == x), result, x);
}

/// x modulo pi/2 for any f32 x >= 2^23: the fraction of x * 2/pi from an integer product with the bits that matter
/// (Payne and Hanek). `quadrant` gets the integer part modulo 4.
inline double reduce_large(float x, uint32_t& quadrant) {
  // 2/pi = 0.A2F9836E 4E441529 ... in hexadecimal.
  constexpr std::array<uint32_t, 8> kTwoOverPi{0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0,
                                               0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561};
  uint32_t bits = std::bit_cast<uint32_t>(x) & 0x7fffffffu;
  uint32_t shift = (bits >> 23) - 150;  // |x| = significand * 2^shift; 0 to 104
  uint64_t significand = (bits & 0x007fffffu) | 0x00800000u;
  // 96 bits of 2/pi from the one that makes 2 on: what lies above makes multiples of 4.
  auto bit32 = [&](uint32_t from) {
    uint32_t word = from / 32, rest = from % 32;
    uint64_t two = uint64_t{kTwoOverPi[word]} << 32 | kTwoOverPi[word + 1];
    return static_cast<uint32_t>((two << rest) >> 32);
  };
  uint32_t from = shift < 2 ? 0 : shift - 2;
  uint32_t extra = shift < 2 ? 2 - shift : 0;  // the first bit's weight is 2^(1 - extra)
  Uint128 window = Uint128{bit32(from)} << 64 | Uint128{bit32(from + 32)} << 32 | bit32(from + 64);
  // Fixed point with the quadrant in bits 127 and 126; what overflows are multiples of 4.
  Uint128 turns = (window * significand) << (32 - extra);
  quadrant = static_cast<uint32_t>(turns >> 126);
  int64_t fraction = static_cast<int64_t>(static_cast<uint64_t>(turns >> 62));  // signed: nearest multiple
  if (fraction < 0) ++quadrant;
  double r = static_cast<double>(fraction) * (1.5707963267948966 / 18446744073709551616.0);
  if (std::bit_cast<uint32_t>(x) >> 31 != 0) {
    r = -r;
    quadrant = 0u - quadrant;
  }
  return r;
}

/// sin(x + kQuarters pi/2): 0 is the sine, 1 the cosine.
template <uint32_t kQuarters, class V>
inline Like<V, double> sine(V x) {
  using W = Like<V, double>;
  using U = Like<V, uint64_t>;
  // Cody and Waite: pi/2 in three parts, the first two short enough that their products with n are exact.
  W wide = to<double>(x);
  W n = rounded_integer<ModSet::of(Mod::Rni)>(wide * splat<W>(0.63661977236758134308));
  W r = wide - n * splat<W>(0x1.921fb54000000p+0);
  r = r - n * splat<W>(0x1.10b4611800000p-30);
  r = r - n * splat<W>(0x1.313198a2e0370p-61);
  U quadrant = bits_of(n + splat<W>(6755399441055744.0));  // 1.5 * 2^52: n in the low bits
  auto large = mask_of<V>(magnitude(x) >= splat<V>(8388608.0f));
  if (collect(large) != 0) {
    for (size_t i = 0; i < kLanes<V>; ++i) {
      uint32_t q = 0;
      if (large[i] == 0 || !(x[i] - x[i] == 0)) continue;
      r[i] = reduce_large(x[i], q);
      quadrant[i] = q;
    }
  }
  quadrant += splat<U>(kQuarters);
  W z = r * r;
  W s = r * polynomial(z, 1.0, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800.0,
                       -1.0 / 1307674368000.0);
  W c = polynomial(z, 1.0, -1.0 / 2, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600.0,
                   -1.0 / 87178291200.0, 1.0 / 20922789888000.0);
  W result = select(mask_of<W>((quadrant & splat<U>(1)) != U{}), c, s);
  result = as<double>(bits_of(result) ^ ((quadrant & splat<U>(2)) << 62));
  W nan = splat<W>(__builtin_nan(""));
  W finite = wide - wide;  // NaN for NaN and infinity
  result = select(mask_of<W>(finite == finite), result, nan);
  if constexpr (kQuarters == 0) result = select(mask_of<W>(wide == W{}), wide, result);  // sin(-0) is -0
  return result;
}

}  // namespace warptime::ptx::inline WARPTIME_ISA
