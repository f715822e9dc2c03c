// Floating-point formats of 16 bits and less, which have a sign and one place for the bits above and below.
#pragma once

#include <cstdint>

namespace warptime::sim {

inline constexpr uint32_t kHalfNan = 0x7fff;

struct SmallFormat {
  int exponent, fraction, bias;
  double most;        // the largest number
  uint32_t nan;       // 0: it has none
  uint32_t infinity;  // 0: it has none
  constexpr int bits() const { return 1 + exponent + fraction; }
};
inline constexpr SmallFormat kE4M3{4, 3, 7, 448, 0x7f, 0}, kE5M2{5, 2, 15, 57344, 0x7f, 0x7c},
    kE2M3{2, 3, 1, 7.5, 0, 0}, kE3M2{3, 2, 3, 28, 0, 0}, kE2M1{2, 1, 1, 6, 0, 0},
    kF16{5, 10, 15, 65504, kHalfNan, 0x7c00}, kBF16{8, 7, 127, 255 * 0x1p120, kHalfNan, 0x7f80};

}  // namespace warptime::sim
