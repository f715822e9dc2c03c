#include "made_numbers.h"

namespace warptime::sim {

using ptx::Type;

uint64_t scrambled(uint64_t v) {
  v += 0x9e3779b97f4a7c15u;
  v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9u;
  v = (v ^ (v >> 27)) * 0x94d049bb133111ebu;
  return v ^ (v >> 31);
}

bool is_floating(Type type) {
  return type == Type::F16 || type == Type::BF16 || type == Type::TF32 || type == Type::F32 || type == Type::F64 ||
         type == Type::E4M3 || type == Type::E5M2;
}

namespace {

struct FloatFormat {
  uint32_t exponent_bits, fraction_bits, unused;
};
FloatFormat format_of(Type type) {
  switch (type) {
    case Type::F16: return {5, 10, 0};
    case Type::BF16: return {8, 7, 0};
    case Type::TF32: return {8, 23, 0};
    case Type::E4M3: return {4, 3, 0};
    case Type::E5M2: return {5, 2, 0};
    case Type::F64: return {11, 52, 0};
    default: return {8, 23, 0};
  }
}

enum Kind : uint32_t { Moderate, AnyBits, Subnormal, Zeros, Specials, Large, Integers, Far };

/// A floating-point number of a kind. `sum`: of an accumulator.
uint64_t float_number(Type type, uint32_t kind, bool sum, MadeNumbers& random) {
  const auto [exponent_bits, fraction_bits, unused] = format_of(type);
  const uint64_t sign = random.next() >> 63 << (exponent_bits + fraction_bits);
  const uint64_t fraction = random.next() & ((uint64_t{1} << fraction_bits) - 1);
  const uint32_t highest = (1u << exponent_bits) - 1, bias = highest / 2;
  auto with = [&, bits = fraction_bits](uint32_t exponent) { return sign | uint64_t{exponent} << bits | fraction; };
  auto around = [&](uint32_t centre, uint32_t reach) {
    const int64_t at = int64_t{centre} - reach + random.below(2 * reach + 1);
    return with(static_cast<uint32_t>(at < 0 ? 0 : at >= highest ? highest - 1 : at));
  };
  switch (kind) {
    case AnyBits: return with(random.below(highest));
    case Subnormal: return with(sum ? random.below(bias) : random.below(3));
    case Zeros: return random.below(2) != 0 ? sign : around(bias, 3);
    case Specials:
      switch (random.below(sum ? 16 : 96)) {
        case 0: return sign | uint64_t{highest} << fraction_bits;                 // infinity (e4m3: 256)
        case 1: return sign | uint64_t{highest} << fraction_bits | fraction | 1;  // NaN
        case 2: return sign;
        default: return around(bias, 3);
      }
    case Large: return around(highest - 1 - (sum ? 1 : random.below(highest / 2)), 1);
    case Integers: {  // -8 to 8, halves, so that sums are exact and ties occur
      uint32_t size = random.below(17);
      if (size == 0) return sign;
      uint32_t top = 31 - static_cast<uint32_t>(__builtin_clz(size));
      uint64_t bits = fraction_bits >= top ? (uint64_t{size} - (1u << top)) << (fraction_bits - top)
                                           : (uint64_t{size} - (1u << top)) >> (top - fraction_bits);
      return sign | uint64_t{bias + top - 1} << fraction_bits | bits;
    }
    case Far: return around(bias, 13);
    default: return around(bias, 3);
  }
}

uint64_t integer_number(Type type, uint32_t kind, bool sum, MadeNumbers& random) {
  const uint32_t bits = ptx::bits(type);
  const uint64_t all = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  if (sum) {
    if (kind % 4 == 1) return random.below(2) != 0 ? 0x7fffffff - random.below(4096) : 0x80000000u + random.below(4096);
    return kind % 4 == 2 ? (uint64_t{random.below(4096)} - 2048) & 0xffffffff : random.next() & 0xffffffff;
  }
  if (kind % 4 == 1) {
    const uint64_t edges[] = {0, all, all >> 1, (all >> 1) + 1, 1};
    return edges[random.below(5)];
  }
  return random.next() & all;
}

}  // namespace

uint64_t made_number(Type type, uint32_t kind, bool sum, MadeNumbers& random) {
  return is_floating(type) ? float_number(type, kind, sum, random) : integer_number(type, kind, sum, random);
}

uint32_t made_metadata(bool pairs, MadeNumbers& random) {
  constexpr uint32_t kTwoOfFour[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe}, kOneOfTwo[] = {0x4, 0xe};
  uint32_t out = 0;
  for (uint32_t i = 0; i < 8; ++i) out |= (pairs ? kOneOfTwo[random.below(2)] : kTwoOfFour[random.below(6)]) << (4 * i);
  return out;
}

}  // namespace warptime::sim
