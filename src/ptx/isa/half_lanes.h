// Half precision (PTX ISA 9.0, 9.7.4): f16 has 5 bits of exponent and 10 of fraction, bf16 the 8 of an f32 and 7. Both
// keep subnormal numbers; .ftz makes those of f16 zero. Lanes are computed as f32 and rounded to their type once:
//
// - A half-precision number is an f32 without rounding.
// - The nearest f32 of a sum or a product, rounded again, is the same as the exact result rounded once: f32 has 24
// bits,
//   at least twice those of f16 (11) or bf16 (8) and two more (Figueroa, "When is double rounding innocuous?", ACM
//   SIGNUM Newsletter 30(3), 1995). Results below the normal numbers are exact as f32, or so small that both roundings
//   give 0.
// - Where the exact result does not fit in 24 bits, the f32 before the last rounding has an odd last bit for what is
//   missing (to_odd_float); rounding that once is right in every mode.
#pragma once

#include "ptx/isa/float_lanes.h"

namespace warptime::ptx::inline WARPTIME_ISA {

/// The numbers of a half-precision type in the low 16 bits of each lane.
template <Type F, class U>
inline Like<U, float> widened(U half) {
  using V = Like<U, float>;
  if constexpr (F == Type::BF16) {
    return as<float>(half << 16);
  } else {
    U sign = (half & splat<U>(0x8000)) << 16, size = (half & splat<U>(0x7fff)) << 13;
    U number = bits_of(as<float>(size) * splat<V>(0x1p112f));  // exact; subnormal ones, too
    return as<float>(sign | select(mask_of<U>(size < splat<U>(0x7c00 << 13)), number, size | splat<U>(kExponentBits)));
  }
}

/// `size` (bits below the sign) without its lowest `dropped` bits, rounded as M says. A carry goes into the exponent.
template <ModSet M, class U>
inline U without_low_bits(U size, Mask<U> negative, int dropped) {
  U odd = (size >> dropped) & splat<U>(1), all = splat<U>((1u << dropped) - 1);
  U add{};
  if constexpr (rounds_to_nearest(M)) add = splat<U>((1u << (dropped - 1)) - 1) + odd;
  if constexpr (M.has(Mod::Rm)) add = all & as<uint32_t>(negative);
  if constexpr (M.has(Mod::Rp)) add = all & as<uint32_t>(~negative);
  return (size + add) >> dropped;
}

/// Rounds f32 (exact, or with an odd last bit) to a half-precision type. NaN: any bits.
template <Type F, ModSet M, class V>
inline Like<V, uint32_t> narrowed(V x) {
  using U = Like<V, uint32_t>;
  U bits = bits_of(x), sign = (bits & splat<U>(kSignBit)) >> 16, size = bits & splat<U>(~kSignBit);
  auto negative = mask_of<U>(sign != U{});
  if constexpr (F == Type::BF16) {
    return sign | without_low_bits<M>(size, negative, 16);
  } else {
    // Normal numbers: the exponent's bias is 15 instead of 127. From 2^16 on: infinity or the largest number.
    U normal = without_low_bits<M>(size - splat<U>(112u << 23), negative, 13);
    U infinity = splat<U>(0x7c00), beyond = infinity;
    if constexpr (M.has(Mod::Rz)) beyond = infinity - splat<U>(1);
    if constexpr (M.has(Mod::Rm)) beyond = select(negative, infinity, infinity - splat<U>(1));
    if constexpr (M.has(Mod::Rp)) beyond = select(negative, infinity - splat<U>(1), infinity);
    normal = select(mask_of<U>(size < splat<U>(143u << 23)), normal, beyond);
    normal = select(mask_of<U>(size < splat<U>(kExponentBits)), normal, infinity);
    // Below 2^-14 they are multiples of 2^-24, as the f32 from 1/2 to 1 are.
    V small = as<float>(size), half = splat<V>(0.5f), sum = small + half, back = sum - half;
    U subnormal = bits_of(sum) - bits_of(half);
    auto toward_zero = M.has(Mod::Rm) ? ~negative : negative, away = ~toward_zero;
    if constexpr (M.has(Mod::Rz)) {
      toward_zero = ~Mask<U>{};
      away = Mask<U>{};
    }
    if constexpr (!rounds_to_nearest(M)) {
      auto above = mask_of<V>(back > small), below = mask_of<V>(back < small);
      subnormal += as<uint32_t>(above & toward_zero);  // one less
      subnormal -= as<uint32_t>(below & away);         // one more
    }
    return sign | select(mask_of<U>(size < splat<U>(113u << 23)), subnormal, normal);
  }
}

inline constexpr uint32_t kHalfNan = 0x7fff;  // of both types, recorded on an H100

template <Type F>
inline constexpr float kLeastNormal = F == Type::F16 ? 0x1p-14f : 0x1p-126f;
template <Type F>
inline constexpr uint32_t kHalfInfinity = F == Type::F16 ? 0x7c00 : 0x7f80;

/// .ftz of an operand.
template <Type F, ModSet M, class V>
inline V half_operand(V x) {
  if constexpr (!M.has(Mod::Ftz)) return x;
  return select(mask_of<V>(magnitude(x) < splat<V>(kLeastNormal<F>)), with_sign(V{}, x), x);
}

/// The result of an instruction as M has it: .ftz, .sat, .relu, .satfinite, and one NaN for all.
template <Type F, ModSet M, class V>
inline Like<V, uint32_t> half_result(V x) {
  using U = Like<V, uint32_t>;
  auto nan = mask_of<V>(x != x);
  if constexpr (M.has(Mod::Sat)) x = saturate<M>(x);
  U bits = narrowed<F, M>(x), sign = bits & splat<U>(0x8000), size = bits & splat<U>(0x7fff);
  if constexpr (M.has(Mod::Ftz)) {
    // A number is too small if it is below the normal ones rounded as if exponents had no limit, as with f32
    // (flush_tiny; recorded on an H100).
    constexpr uint32_t kFraction = F == Type::F16 ? 10 : 7;
    U scaled = narrowed<F, M>(magnitude(x) * splat<V>(1024.0f));
    bits = select(mask_of<U>(scaled < splat<U>(11u << kFraction)), sign, bits);
  }
  if constexpr (M.has(Mod::Satfinite))
    bits = select(mask_of<U>(size == splat<U>(kHalfInfinity<F>)), bits - splat<U>(1), bits);
  if constexpr (M.has(Mod::Relu)) bits = select(mask_of<U>(sign != U{}), U{}, bits);
  if constexpr (M.has(Mod::Sat)) return bits;
  return select(nan, splat<U>(kHalfNan), bits);
}

}  // namespace warptime::ptx::inline WARPTIME_ISA
