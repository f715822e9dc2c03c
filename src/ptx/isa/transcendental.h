// Sine, cosine, logarithm, power of 2 and hyperbolic tangent in double precision, from +, -, *, / and bit operations
// alone. Relative errors are around 1e-13, far below the last bit of an f32.
#pragma once

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

/// The sine of `turns` full turns, and kQuarters of a turn more: 0 is the sine, 1 the cosine.
template <uint32_t kQuarters, class W>
inline W sine_of_turns(W turns) {
  using U = Like<W, uint64_t>;
  // From 2^22 on an f32 is a multiple of a half: whole turns are left out.
  W near = select(mask_of<W>(magnitude(turns) < splat<W>(0x1p24)), turns, turns * W{});
  W n = rounded_integer<ModSet::of(Mod::Rni)>(near * splat<W>(4.0));
  W r = (near - n * splat<W>(0.25)) * splat<W>(6.28318530717958647693);
  U quadrant = bits_of(n + splat<W>(6755399441055744.0)) + splat<U>(kQuarters);  // 1.5 * 2^52: n in the low bits
  W z = r * r;
  W s = r * polynomial(z, 1.0, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800.0,
                       -1.0 / 1307674368000.0);
  W c = polynomial(z, 1.0, -1.0 / 2, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600.0,
                   -1.0 / 87178291200.0, 1.0 / 20922789888000.0);
  W result = select(mask_of<W>((quadrant & splat<U>(1)) != U{}), c, s);
  result = as<double>(bits_of(result) ^ ((quadrant & splat<U>(2)) << 62));
  if constexpr (kQuarters == 0) result = select(mask_of<W>(near == W{}), near, result);  // sin(-0) is -0
  return result;
}

/// Sine or cosine as hardware gets them: the angle in turns is an f32, the product with 1/2pi rounded toward zero (no
/// subnormal number), so that large angles lose their place in the circle. This is where the manual's error bounds come
/// from: 2^-20.5 within 2pi, 2^-14.7 within 100pi (PTX ISA 9.7.3.18).
template <uint32_t kQuarters, class V>
inline Like<V, double> sine(V x) {
  constexpr float kTurnsInRadian = 0x1.45f306p-3f;
  return sine_of_turns<kQuarters>(to<double>(rounded_mul<mods(Mod::Rz, Mod::Ftz)>(x, splat<V>(kTurnsInRadian))));
}

}  // namespace warptime::ptx::inline WARPTIME_ISA
