#include "sim/exec/random_rounding.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "ptx/isa/cards.h"
#include "sim/exec/lanes_of_mask.h"

namespace warptime::sim {

namespace {

using ptx::Mod, ptx::Type;

constexpr int kSingleFraction = 23, kSingleBias = 127;

constexpr const SmallFormat& rounded_format(Type type) {
  if (type == Type::F16x2) return kF16;
  if (type == Type::BF16x2) return kBF16;
  if (type == Type::E4M3x4) return kE4M3;
  if (type == Type::E5M2x4) return kE5M2;
  if (type == Type::E2M3x4) return kE2M3;
  return type == Type::E3M2x4 ? kE3M2 : kE2M1;
}

/// Which of the random bits are those of number i, the uppermost first.
template <Type kTo>
uint32_t random_bits(uint32_t all, size_t i) {
  const uint32_t upper = all >> 16, lower = all & 0xffff;
  if constexpr (kTo == Type::F16x2) return (i == 0 ? upper : lower) & 0x1fff;
  else if constexpr (kTo == Type::BF16x2) return i == 0 ? upper : lower;
  else if constexpr (kTo == Type::E2M1x4) return (i % 2 == 0 ? upper : lower) >> (i < 2 ? 8 : 0) & 0xff;
  else return i < 2 ? upper : lower;
}
constexpr int random_count(Type to) { return to == Type::F16x2 ? 13 : to == Type::E2M1x4 ? 8 : 16; }

template <Type kTo, bool kRelu, bool kLimited>
void run_random_rounding(const WarpValues& warp, const Insn& insn, uint32_t mask) {
  constexpr size_t kNumbers = kTo == Type::F16x2 || kTo == Type::BF16x2 ? 2 : 4;
  constexpr int kWidth = kTo == Type::E2M1x4 ? 4 : 32 / static_cast<int>(kNumbers);
  const RandomRoundingPayload& payload = insn.random_rounding();
  for_lanes_of(mask, [&](uint32_t lane) {
    const auto random = lane_of<uint32_t>(payload.random.in(warp), lane);
    uint32_t result = 0;
    for (size_t i = 0; i < kNumbers; ++i) {
      const auto value = std::bit_cast<float>(lane_of<uint32_t>(payload.numbers[i].in(warp), lane));
      result = result << kWidth | randomly_rounded(value, rounded_format(kTo), random_bits<kTo>(random, i),
                                                   random_count(kTo), kRelu, kLimited);
    }
    if constexpr (kTo == Type::E2M1x4) set_lane(warp.rows() + insn.dst, lane, static_cast<uint16_t>(result));
    else if (payload.result_is_64) set_lane(warp.rows() + insn.dst, lane, uint64_t{result});
    else set_lane(warp.rows() + insn.dst, lane, result);
  });
}

template <Type kTo>
Handler rounding_to(bool relu, bool limited) {
  if (limited) return relu ? run_random_rounding<kTo, true, true> : run_random_rounding<kTo, false, true>;
  return relu ? run_random_rounding<kTo, true, false> : run_random_rounding<kTo, false, false>;
}

}  // namespace

uint32_t randomly_rounded(float value, const SmallFormat& format, uint32_t random, int count, bool relu, bool limited) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const bool is_negative = bits >> 31 != 0, has_infinity = format.infinity != 0 && !limited;
  const uint32_t sign = is_negative ? 1u << (format.bits() - 1) : 0;
  // The bits of the largest number: those before infinity, or else before the NaN, or all ones.
  const uint32_t all = (1u << (format.bits() - 1)) - 1;
  const uint32_t most = format.infinity != 0 ? format.infinity - 1 : format.nan != 0 ? format.nan - 1 : all;
  if (std::isnan(value)) return format.nan != 0 ? format.nan : most;
  if (relu && is_negative) return 0;
  if (std::isinf(value)) return sign | (has_infinity ? format.infinity : most);

  const int stored = static_cast<int>(bits >> kSingleFraction & 0xff);
  uint64_t fraction = bits & ((1u << kSingleFraction) - 1);
  if (stored != 0) fraction |= 1u << kSingleFraction;
  const int exponent = std::max(stored, 1) - kSingleBias, least = 1 - format.bias;
  // Bits that are cut off; more than 63 of them leave nothing that the random bits could carry.
  const int cut = kSingleFraction - format.fraction + std::max(least - exponent, 0);
  if (cut > 60) return sign;
  const uint64_t added = cut >= count ? uint64_t{random} << (cut - count) : random >> (count - cut);
  const uint64_t kept = (fraction + added) >> cut;  // the cut bits and the random ones are added, and the carry stays
  const int upper = std::max(exponent, least) + format.bias - 1;
  const uint64_t code = (static_cast<uint64_t>(upper) << format.fraction) + kept;
  if (code > most) return sign | (has_infinity ? format.infinity : most);
  return sign | static_cast<uint32_t>(code);
}

Handler random_rounding_handler(const ptx::Instruction& in) {
  const bool relu = in.mods.has(Mod::Relu), limited = in.mods.has(Mod::Satfinite);
  if (in.type == Type::F16x2) return rounding_to<Type::F16x2>(relu, limited);
  if (in.type == Type::BF16x2) return rounding_to<Type::BF16x2>(relu, limited);
  if (in.type == Type::E4M3x4) return rounding_to<Type::E4M3x4>(relu, limited);
  if (in.type == Type::E5M2x4) return rounding_to<Type::E5M2x4>(relu, limited);
  if (in.type == Type::E2M3x4) return rounding_to<Type::E2M3x4>(relu, limited);
  if (in.type == Type::E3M2x4) return rounding_to<Type::E3M2x4>(relu, limited);
  return rounding_to<Type::E2M1x4>(relu, limited);
}

}  // namespace warptime::sim
