// Half-precision numbers of the reference: a double that is rounded to so many bits after each operation.
#pragma once

#include <cmath>

template <int kBits, int kLeastExponent>  // of the significand; of the smallest normal number
struct Narrow {
  double value = 0;

  static double limit() { return std::ldexp(2 - std::ldexp(1, 1 - kBits), 1 - kLeastExponent); }
  /// toward: 0 to nearest, else the larger or smaller neighbour.
  static Narrow of(double x, int toward = 0) {
    if (x == 0 || !std::isfinite(x)) return {x};
    int exponent = std::ilogb(x) < kLeastExponent ? kLeastExponent : std::ilogb(x);
    double unit = std::ldexp(1, exponent - kBits + 1), count = x / unit;
    double whole = toward == 0 ? std::nearbyint(count) : toward > 0 ? std::ceil(count) : std::floor(count);
    double result = std::copysign(whole * unit, x);
    if (std::fabs(result) <= limit()) return {result};
    bool cut = (toward > 0 && x < 0) || (toward < 0 && x > 0);
    return {std::copysign(cut ? limit() : HUGE_VAL, x)};
  }
  unsigned bits() const {
    unsigned sign = std::signbit(value) ? 0x8000 : 0, fraction_bits = kBits - 1;
    if (value != value) return 0x7fff;
    double size = std::fabs(value), least = std::ldexp(1, kLeastExponent);
    if (size > limit()) return sign | static_cast<unsigned>(2 - 2 * kLeastExponent + 1) << fraction_bits;
    if (size < least) return sign | static_cast<unsigned>(std::ldexp(size, kBits - 1 - kLeastExponent));
    int exponent = std::ilogb(size);
    auto fraction = static_cast<unsigned>(std::ldexp(size, kBits - 1 - exponent)) - (1u << fraction_bits);
    return sign | static_cast<unsigned>(exponent - kLeastExponent + 1) << fraction_bits | fraction;
  }
};

template <class N>
struct NarrowPair {
  N low, high;
};
