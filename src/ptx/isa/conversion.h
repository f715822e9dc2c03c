// cvt and cvt.pack: conversion between types. PTX ISA 9.0, sections 9.7.9.21 and 9.7.9.22.
#pragma once

#include "ptx/isa/double_lanes.h"

namespace warptime::ptx::inline WARPTIME_ISA {

/// .sat between integers is legal only where the destination does not hold every value of the source.
constexpr Form clamped(Type to, TypeSet from) {
  return {.types = types(to), .types2 = from, .slots = slots(one(Mod::Sat))};
}

/// cvt.pack: a and b, each clamped, side by side (b below); if they leave room, the low bits of c come above.
constexpr Form packing(ModSet to) {
  return Form{.types = types(Type::S32), .slots = slots(one(Mod::Pack), one(Mod::Sat), one(to))}
      .with("d:b32, a, b")
      .does(Effect::Collective)
      .from(65, 72);
}
constexpr Form packing_onto(ModSet to) {
  return packing(to).typed(types(Type::S32), types(Type::B32)).with("d:b32, a, b, c:2");
}

/// Conversions from f32 and f64 to half precision and to tf32 that targets before sm_80 lack.
constexpr Form to_narrow_float(TypeSet to, TypeSet from, Slots slots) {
  return Form{.types = to, .types2 = from, .slots = slots}.from(70, 80);
}
inline constexpr Slot kNearestOrZero = one(mods(Mod::Rn, Mod::Rz)), kOptRelu = opt(Mod::Relu);
/// With a number limit instead of infinity.
constexpr Form limited(TypeSet to, Slots slots) { return to_narrow_float(to, kF32, slots).from(81, 80); }
/// Two numbers side by side, that of a above.
inline constexpr std::string_view kTwoNumbers = "d, a:2, b:2";

/// Two numbers of 8 bits and less in a register, that of a above.
inline constexpr TypeSet kNumbers8 = types(Type::E4M3x2, Type::E5M2x2);
inline constexpr TypeSet kNumbers6 = types(Type::E2M3x2, Type::E3M2x2), kNumbers4 = types(Type::E2M1x2);
inline constexpr TypeSet kScales8 = types(Type::UE8M0x2);
inline constexpr Slots kToSmall = slots(one(Mod::Rn), one(Mod::Satfinite), opt(Mod::Relu));
constexpr Form small_numbers(TypeSet to, TypeSet from, Slots slots) {
  Form form =
      Form{.types = to, .types2 = from, .slots = slots}.does(Effect::Collective).from(86, 100).needs(Feature::Fp4);
  return from == kF32 ? form.with(kTwoNumbers) : form;
}
constexpr Form numbers8(TypeSet to, TypeSet from, Slots slots) {
  return small_numbers(to, from, slots).from(81, 89).needs(Feature::Fp8);
}

/// Rounded by random bits, the last operand: two numbers of 16 bits, or four of 8 bits and less, the first above.
constexpr Form random_rounding(TypeSet to, Slots slots, std::string_view operands) {
  return small_numbers(to, kF32, slots).with(operands).from(87, 100, 'a', 103);
}

/// cvt: integers are cut or extended (.sat: clamped); a number that the integer type cannot hold is clamped, a NaN
/// gives zero, or the highest bit alone if one of the types has 64 bits (the manual for integers of 64 bits; measured
/// on an H200 for narrower ones from f64). Registers may be wider than the types: a source is cut, a result extended.
struct Cvt {
  static constexpr Card card{.name = "cvt",
                             .operands = "d, a:2",
                             .latency = Latency::Convert,
                             .summary = "convert between types",
                             .manual = "9.7.9.21"};
  static constexpr TypeSet kF16Alone = types(Type::F16), kBF16Alone = types(Type::BF16), kTF32 = types(Type::TF32);
  static constexpr std::array forms{
      Form{.types = kAnyInteger, .types2 = kAnyInteger},
      Form{.types = kAnyInteger, .types2 = kF32, .slots = slots(one(kIntRounding), kOptFtz, kOptSat)},
      Form{.types = kF32, .types2 = kAnyInteger, .slots = slots(one(kRounding), kOptFtz, kOptSat)},
      Form{.types = kF32, .types2 = kF32, .slots = slots(opt(kIntRounding), kOptFtz, kOptSat)},
      double_form(slots(one(kIntRounding), kOptSat)).typed(kAnyInteger, kF64),
      double_form(slots(one(kRounding), kOptSat)).typed(kF64, kAnyInteger),
      double_form(slots(one(kRounding), kOptFtz, kOptSat)).typed(kF32, kF64),
      double_form(slots(kOptFtz, kOptSat)).typed(kF64, kF32),
      double_form(slots(opt(kIntRounding), kOptSat)).typed(kF64, kF64),
      clamped(Type::U8, kSigned | types(Type::S8, Type::U16, Type::U32, Type::U64)),
      clamped(Type::U16, kSigned | types(Type::S8, Type::U32, Type::U64)),
      clamped(Type::U32, kSigned | types(Type::S8, Type::U64)), clamped(Type::U64, kSigned | types(Type::S8)),
      clamped(Type::S8, kUnsigned | types(Type::U8, Type::S16, Type::S32, Type::S64)),
      clamped(Type::S16, types(Type::U16, Type::U32, Type::U64, Type::S32, Type::S64)),
      clamped(Type::S32, types(Type::U32, Type::U64, Type::S64)), clamped(Type::S64, types(Type::U64)),
      packing(mods(Mod::ToU16, Mod::ToS16)), packing_onto(mods(Mod::ToU8, Mod::ToS8)),
      packing_onto(mods(Mod::ToU4, Mod::ToS4, Mod::ToU2, Mod::ToS2)).from(65, 75),
      // half precision and integers
      Form{.types = kAnyInteger, .types2 = kF16Alone, .slots = slots(one(kIntRounding), kOptSat)},
      Form{.types = kInteger, .types2 = kBF16Alone, .slots = slots(one(kIntRounding))}.from(78, 90).needs(
          Feature::BF16),
      Form{.types = kF16Alone, .types2 = kAnyInteger, .slots = slots(one(kRounding), kOptSat)},
      Form{.types = kBF16Alone, .types2 = kInteger, .slots = slots(one(kRounding))}.from(78, 90).needs(Feature::BF16),
      // f16 as on every target
      Form{.types = kF32, .types2 = kF16Alone, .slots = slots(kOptFtz, kOptSat)},
      Form{.types = kF16Alone, .types2 = kF32, .slots = slots(one(kRounding), kOptFtz, kOptSat)},
      Form{.types = kF16Alone, .types2 = kF16Alone, .slots = slots(opt(kIntRounding), kOptSat)},
      Form{.types = kF64, .types2 = kF16Alone, .slots = slots(kOptSat)}.needs(Feature::F64),
      Form{.types = kF16Alone, .types2 = kF64, .slots = slots(one(kRounding), kOptSat)}.needs(Feature::F64),
      // f16 of later targets
      to_narrow_float(kF16Alone, kF32, slots(kNearestOrZero, one(Mod::Relu))).needs(Feature::F16),
      limited(kF16Alone, slots(kNearestOrZero, one(Mod::Satfinite))).from(81, 70).needs(Feature::F16),
      limited(kF16Alone, slots(kNearestOrZero, one(Mod::Relu), one(Mod::Satfinite))).needs(Feature::F16),
      to_narrow_float(types(Type::F16x2), kF32, slots(kNearestOrZero, kOptRelu)).with(kTwoNumbers).needs(Feature::F16),
      limited(types(Type::F16x2), slots(kNearestOrZero, kOptRelu, one(Mod::Satfinite)))
          .with(kTwoNumbers)
          .needs(Feature::F16),
      // bf16
      to_narrow_float(kBF16Alone, kF32, slots(one(kRounding), kOptFtz)).needs(Feature::BF16),
      to_narrow_float(kBF16Alone, kF32, slots(kNearestOrZero, one(Mod::Relu))).needs(Feature::BF16),
      limited(kBF16Alone, slots(kNearestOrZero, kOptRelu, one(Mod::Satfinite))).needs(Feature::BF16),
      to_narrow_float(types(Type::BF16x2), kF32, slots(kNearestOrZero, kOptRelu))
          .with(kTwoNumbers)
          .needs(Feature::BF16),
      limited(types(Type::BF16x2), slots(kNearestOrZero, kOptRelu, one(Mod::Satfinite)))
          .with(kTwoNumbers)
          .needs(Feature::BF16),
      Form{.types = kF32, .types2 = kBF16Alone, .slots = slots(kOptRounding)}.from(71, 80).needs(Feature::BF16),
      Form{.types = kF32, .types2 = kBF16Alone, .slots = slots(kOptRounding, one(Mod::Ftz))}.from(78, 90).needs(
          Feature::BF16),
      Form{.types = kF64, .types2 = kBF16Alone, .slots = slots(kOptRounding)}.from(78, 90).needs(Feature::BF16),
      Form{.types = kBF16Alone, .types2 = kF64, .slots = slots(one(kRounding))}.from(78, 90).needs(Feature::BF16),
      Form{.types = kF16Alone, .types2 = kBF16Alone, .slots = slots(kOptRounding)}.from(78, 90).needs(Feature::BF16),
      Form{.types = kBF16Alone, .types2 = kF16Alone, .slots = slots(kOptRounding)}.from(78, 90).needs(Feature::BF16),
      Form{.types = kBF16Alone, .types2 = kBF16Alone, .slots = slots(opt(kIntRounding))}.from(78, 90).needs(
          Feature::BF16),
      // tf32: the sign, 8 bits of exponent and 10 of fraction of an f32
      to_narrow_float(kTF32, kF32, slots(one(Mod::Rna))).needs(Feature::BF16),
      limited(kTF32, slots(one(Mod::Rna), one(Mod::Satfinite))).needs(Feature::BF16),
      to_narrow_float(kTF32, kF32, slots(kNearestOrZero, kOptRelu)).from(78, 90).needs(Feature::BF16),
      limited(kTF32, slots(kNearestOrZero, kOptRelu, one(Mod::Satfinite))).from(86, 100).needs(Feature::Fp4),
      numbers8(kNumbers8, kF32, kToSmall), numbers8(kNumbers8, types(Type::F16x2), kToSmall),
      numbers8(types(Type::F16x2), kNumbers8, slots(one(Mod::Rn), kOptRelu)),
      small_numbers(kNumbers6 | kNumbers4, kF32, kToSmall), small_numbers(kNumbers4, types(Type::F16x2), kToSmall),
      small_numbers(types(Type::F16x2), kNumbers6 | kNumbers4, slots(one(Mod::Rn), kOptRelu)),
      small_numbers(kScales8, kF32, slots(one(mods(Mod::Rz, Mod::Rp)), opt(Mod::Satfinite))),
      small_numbers(kScales8, types(Type::BF16x2), slots(one(mods(Mod::Rz, Mod::Rp)), opt(Mod::Satfinite))),
      small_numbers(types(Type::BF16x2), kScales8, slots(one(Mod::Rn))),
      random_rounding(types(Type::F16x2, Type::BF16x2), slots(one(Mod::Rs), kOptRelu, opt(Mod::Satfinite)),
                      "d, a:2, b:2, c:metadata"),
      random_rounding(types(Type::E4M3x4, Type::E5M2x4, Type::E2M3x4, Type::E3M2x4, Type::E2M1x4),
                      slots(one(Mod::Rs), kOptRelu, one(Mod::Satfinite)), "d, a:4f32, c:metadata")};
  /// The first of the forms with half precision, and the first of those without an integer.
  static constexpr size_t kFirstHalf = 20, kFirstFloats = 24;
  /// Floating point to floating point; the others are in conversion_lanes.h. Without a modifier all bits stay; else a
  /// NaN to or from f64 keeps its bits and becomes quiet, but .ftz makes one NaN of all f32.
  template <ModSet M, class D, class V>
  static D lanes(V a) {
    constexpr bool kSame = std::is_same_v<D, V>;
    if constexpr (kSame && (M & (kIntRounding | mods(Mod::Ftz, Mod::Sat))).empty()) return a;
    a = flush<M>(a);
    if constexpr (M.has(Mod::Ftz) && !kIsDouble<V>) a = select(mask_of<V>(a == a), a, from_bits<V>(kCanonicalNan));
    if constexpr (!(M & kIntRounding).empty()) a = rounded_integer<M>(a);
    if constexpr (!kIsDouble<V> && !kIsDouble<D>) {
      return finish<M>(a);
    } else if constexpr (!kIsDouble<D>) {
      if constexpr (M.has(Mod::Ftz)) return saturate<M>(flush_tiny<M>(to_float<M>(a), to_float<M>(scaled_up(a))));
      return saturate<M>(to_float<M>(a));
    } else {
      return saturate<M>(quiet(to<double>(a)));
    }
  }
};

using ConversionCards = CardList<Cvt>;

}  // namespace warptime::ptx::inline WARPTIME_ISA
