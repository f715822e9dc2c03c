// Numbers of 16 bits for the host programs of kernels with f16 inputs. The random ones are multiples of 1/16 from -1 to
// 1: sums of up to 65536 products of two of them have at most 24 bits, so a sum in f32 is exact in any order.
#pragma once

#include <cstdint>
#include <vector>

#include "host/workload/random.h"

namespace warptime::host {

/// The bits of sixteenths / 16 as an f16; sixteenths from -16 to 16.
inline uint16_t half_bits(int sixteenths) {
  const uint16_t sign = sixteenths < 0 ? 0x8000 : 0;
  auto rest = static_cast<uint32_t>(sixteenths < 0 ? -sixteenths : sixteenths);
  if (rest == 0) return sign;
  uint32_t exponent = 15 - 4;  // of 1/16
  while (rest >= uint32_t{2} << (exponent - 11)) ++exponent;
  const uint32_t fraction = (rest << (10 - (exponent - 11))) & 0x3ff;
  return static_cast<uint16_t>(sign | exponent << 10 | fraction);
}

struct HalfNumbers {
  std::vector<uint16_t> bits;
  std::vector<float> values;
};
inline HalfNumbers random_halves(size_t count, SplitMix64& random) {
  HalfNumbers out;
  for (size_t i = 0; i < count; ++i) {
    const int sixteenths = static_cast<int>(random.below(33)) - 16;
    out.bits.push_back(half_bits(sixteenths));
    out.values.push_back(static_cast<float>(sixteenths) / 16);
  }
  return out;
}

/// C = A B, row by row; of n x n each.
inline std::vector<float> half_product(const HalfNumbers& a, const HalfNumbers& b, uint32_t n) {
  std::vector<float> c(size_t{n} * n);
  for (size_t i = 0; i < n; ++i)
    for (size_t k = 0; k < n; ++k)
      for (size_t j = 0; j < n; ++j) c[i * n + j] += a.values[i * n + k] * b.values[k * n + j];
  return c;
}

}  // namespace warptime::host
