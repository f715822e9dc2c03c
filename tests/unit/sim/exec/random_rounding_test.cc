// Stochastic rounding (cvt.rs): of all random bits, as many round away from zero as the part that is cut off says.
// Formats have the numbers that a search among all their bits finds.
#include "sim/exec/random_rounding.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

using namespace warptime::sim;

namespace {

/// What the bits of a number without NaN or infinity mean.
double meaning(const SmallFormat& format, uint32_t bits) {
  const uint32_t fraction = bits & ((1u << format.fraction) - 1);
  const int exponent = static_cast<int>(bits >> format.fraction & ((1u << format.exponent) - 1));
  const double size = exponent == 0
                          ? std::ldexp(fraction, 1 - format.bias - format.fraction)
                          : std::ldexp((1u << format.fraction) + fraction, exponent - format.bias - format.fraction);
  return (bits >> (format.bits() - 1) & 1) != 0 ? -size : size;
}

constexpr SmallFormat kFormats[] = {kE4M3, kE5M2, kE2M3, kE3M2, kE2M1, kF16, kBF16};
int random_bits_of(const SmallFormat& format) { return format.bits() == 4 ? 8 : format.fraction == 10 ? 13 : 16; }

}  // namespace

TEST_CASE("stochastic rounding goes up as often as the rest says") {
  for (const SmallFormat& format : kFormats) {
    const int count = random_bits_of(format);
    // Places between two neighbours, also of numbers below the normal ones, in units that the random bits can tell.
    for (uint32_t code : {0u, 1u, (1u << format.fraction) - 1, (1u << format.fraction) + 1, 2u << format.fraction}) {
      const double low = meaning(format, code), high = meaning(format, code + 1);
      for (uint32_t part : {0u, 1u, 37u, 128u, 255u}) {
        const double value = low + (high - low) * part / 256;
        if (static_cast<double>(static_cast<float>(value)) != value) continue;
        uint32_t ups = 0;
        const uint32_t all = 1u << count;
        for (uint32_t random = 0; random < all; ++random) {
          const uint32_t got = randomly_rounded(static_cast<float>(value), format, random, count, false, true);
          if (got != code && got != code + 1) FAIL("neither neighbour: " << got << " of " << value);
          ups += got - code;
        }
        INFO(format.bits() << " bits, " << format.fraction << " of fraction, code " << code << ", part " << part);
        CHECK(ups == part * (all / 256));
        const uint32_t sign = 1u << (format.bits() - 1);
        CHECK(randomly_rounded(static_cast<float>(-value), format, all - 1, count, false, true) ==
              (sign | (part == 0 ? code : code + 1)));
      }
    }
  }
}

TEST_CASE("stochastic rounding of what has no place in the format") {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float nan = std::nanf("");
  auto of = [](float value, const SmallFormat& format, bool relu, bool limited) {
    return randomly_rounded(value, format, 0, random_bits_of(format), relu, limited);
  };
  CHECK(of(1e30f, kF16, false, false) == 0x7c00);
  CHECK(of(1e30f, kF16, false, true) == 0x7bff);
  CHECK(of(-kInfinity, kF16, false, false) == 0xfc00);
  CHECK(of(-kInfinity, kF16, false, true) == 0xfbff);
  CHECK(of(kInfinity, kBF16, false, false) == 0x7f80);
  CHECK(of(std::numeric_limits<float>::max(), kBF16, false, false) == 0x7f7f);
  CHECK(of(1e30f, kE4M3, false, true) == 0x7e);
  CHECK(of(-1e30f, kE5M2, false, true) == 0xfb);
  CHECK(of(1e30f, kE2M1, false, true) == 0x7);
  CHECK(of(-1e30f, kE2M3, false, true) == 0x3f);
  CHECK(of(nan, kF16, true, true) == 0x7fff);
  CHECK(of(nan, kE4M3, false, true) == 0x7f);
  CHECK(of(nan, kE3M2, false, true) == 0x1f);  // no NaN: the largest number
  CHECK(of(-1, kBF16, true, false) == 0);
  CHECK(of(-1e-40f, kE4M3, false, true) == 0x80);
  // Random bits carry into the next power of two, and over the largest number.
  CHECK(randomly_rounded(1.99999f, kF16, 0x1fff, 13, false, false) == 0x4000);
  CHECK(randomly_rounded(65519, kF16, 0x1fff, 13, false, false) == 0x7c00);
  CHECK(randomly_rounded(65519, kF16, 0x1fff, 13, false, true) == 0x7bff);
}
