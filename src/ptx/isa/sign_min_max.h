// Absolute value, negation, minimum, maximum, and the floating-point instructions on signs and classes. PTX ISA 9.0,
// sections 9.7.1.10-13 (integer), 9.7.3.1-2, 9.7.3.9-12 (f32, f64) and 9.7.4.5-8 (f16, bf16).
#pragma once

#include "ptx/isa/double_lanes.h"

namespace warptime::ptx::inline WARPTIME_ISA {

/// The lesser of two f32 as min has it.
template <ModSet M, class V>
inline V least(V a, V b) {
  auto nan_a = mask_of<V>(a != a), nan_b = mask_of<V>(b != b);
  auto lower = mask_of<V>(a < b) | (mask_of<V>(a == b) & (as<int32_t>(a) < Like<V, int32_t>{}));  // -0 before +0
  V least = select(lower, a, b);
  if constexpr (M.has(Mod::NaN)) return finish<M>(select(nan_a | nan_b, from_bits<V>(kCanonicalNan), least));
  return finish<M>(select(nan_a, b, select(nan_b, a, least)));
}

/// .relu: no less than 0. .xorsign.abs: of the magnitudes, with the signs' exclusive or.
inline constexpr Form kReluForm = Form{.types = types(Type::S32), .slots = slots(one(Mod::Relu))}.from(80, 90);
inline constexpr Form kXorSignForm =
    Form{.types = kF32, .slots = slots(kOptFtz, opt(Mod::NaN), one(Mod::XorSign), one(Mod::Abs))}
        .takes(Latency::FloatAlu)
        .from(72, 86);
/// min and max of three numbers, with .abs of their magnitudes.
inline constexpr Form kOfThree = Form{.types = kF32, .slots = slots(kOptFtz, opt(Mod::NaN), opt(Mod::Abs))}
                                     .with("d, a, b, c")
                                     .takes(Latency::FloatAlu)
                                     .from(88, 100)
                                     .needs(Feature::PackedF32);
template <ModSet M, class V>
inline V of_three(V x) {
  x = flush<M>(x);
  if constexpr (M.has(Mod::Abs)) return magnitude(x);
  return x;
}
template <ModSet M, class V>
inline V not_below_zero(V x) {
  if constexpr (M.has(Mod::Relu)) return select(mask_of<V>(x < V{}), V{}, x);
  return x;
}
/// The sign of a negated by that of b, on a number that is no NaN.
template <class V>
inline V with_signs(V x, V a, V b) {
  auto signs = (bits_of(a) ^ bits_of(b)) & splat<Like<V, uint32_t>>(0x80000000u);
  return select(mask_of<V>(x == x), as<float>(bits_of(x) | signs), x);
}

/// abs: |a|. The most negative integer stays as it is.
struct Abs {
  static constexpr Card card{
      .name = "abs", .operands = "d, a", .summary = "absolute value", .manual = "9.7.1.10, 9.7.3.9, 9.7.4.6"};
  static constexpr std::array forms{
      Form{.types = kSigned}, Form{.types = kF32, .slots = slots(kOptFtz)}.takes(Latency::FloatAlu),
      double_form(slots()), f16_form(slots(kOptFtz)).from(65, 53), bf16_form(slots()).from(70, 80)};
  template <ModSet M, class V>
  static V lanes(V a) {
    if constexpr (kIsDouble<V>) {
      return select(mask_of<V>(a == a), magnitude(a), quiet(a));
    } else if constexpr (kIsFloat<V>) {
      return finish<M>(magnitude(flush<M>(a)));
    } else {
      auto x = bits_of(a);
      return as<Lane<V>>(select(mask_of<V>(a < V{}), decltype(x){} - x, x));
    }
  }
};

/// neg: -a.
struct Neg {
  static constexpr Card card{
      .name = "neg", .operands = "d, a", .summary = "negation", .manual = "9.7.1.11, 9.7.3.10, 9.7.4.5"};
  static constexpr std::array forms{
      Form{.types = kSigned}, Form{.types = kF32, .slots = slots(kOptFtz)}.takes(Latency::FloatAlu),
      double_form(slots()), f16_form(slots(kOptFtz)).from(60, 53), bf16_form(slots()).from(70, 80)};
  template <ModSet M, class V>
  static V lanes(V a) {
    if constexpr (kIsDouble<V>) {
      return select(mask_of<V>(a == a), -a, quiet(a));
    } else if constexpr (kIsFloat<V>) {
      return finish<M>(-flush<M>(a));
    } else {
      auto x = bits_of(a);
      return as<Lane<V>>(decltype(x){} - x);
    }
  }
};

/// min: f32 and f64 give the other operand for a NaN (.NaN: gives NaN), and -0 is below +0.
struct Min {
  static constexpr Card card{
      .name = "min", .operands = "d, a, b", .summary = "minimum", .manual = "9.7.1.12, 9.7.3.11, 9.7.4.7"};
  static constexpr std::array forms{
      Form{.types = kInteger},
      Form{.types = kF32, .slots = slots(kOptFtz)}.takes(Latency::FloatAlu),
      Form{.types = kF32, .slots = slots(kOptFtz, one(Mod::NaN))}.takes(Latency::FloatAlu).from(70, 80),
      double_form(slots()),
      kReluForm,
      kXorSignForm,
      f16_form(slots(kOptFtz, opt(Mod::NaN))).from(70, 80),
      f16_form(slots(kOptFtz, opt(Mod::NaN), one(Mod::XorSign), one(Mod::Abs))).from(72, 86),
      bf16_form(slots(opt(Mod::NaN))).from(70, 80),
      bf16_form(slots(opt(Mod::NaN), one(Mod::XorSign), one(Mod::Abs))).from(72, 86),
      packed16_form(kPacked16),
      packed16_form(types(Type::S16x2), slots(one(Mod::Relu))),
      kOfThree};
  template <ModSet M, class V>
  static V lanes(V a, V b) {
    if constexpr (kIsDouble<V>) {
      return least_double(a, b);
    } else if constexpr (M.has(Mod::XorSign)) {
      return with_signs(least<M>(magnitude(flush<M>(a)), magnitude(flush<M>(b))), a, b);
    } else if constexpr (kIsFloat<V>) {
      return least<M>(flush<M>(a), flush<M>(b));
    } else {
      return not_below_zero<M>(select(mask_of<V>(a < b), a, b));
    }
  }
  template <ModSet M, class V>
  static V lanes(V a, V b, V c) {
    return least<M>(least<M>(of_three<M>(a), of_three<M>(b)), of_three<M>(c));
  }
};

/// max: as min.
struct Max {
  static constexpr Card card{
      .name = "max", .operands = "d, a, b", .summary = "maximum", .manual = "9.7.1.13, 9.7.3.12, 9.7.4.8"};
  static constexpr std::array forms{
      Form{.types = kInteger},
      Form{.types = kF32, .slots = slots(kOptFtz)}.takes(Latency::FloatAlu),
      Form{.types = kF32, .slots = slots(kOptFtz, one(Mod::NaN))}.takes(Latency::FloatAlu).from(70, 80),
      double_form(slots()),
      kReluForm,
      kXorSignForm,
      f16_form(slots(kOptFtz, opt(Mod::NaN))).from(70, 80),
      f16_form(slots(kOptFtz, opt(Mod::NaN), one(Mod::XorSign), one(Mod::Abs))).from(72, 86),
      bf16_form(slots(opt(Mod::NaN))).from(70, 80),
      bf16_form(slots(opt(Mod::NaN), one(Mod::XorSign), one(Mod::Abs))).from(72, 86),
      packed16_form(kPacked16),
      packed16_form(types(Type::S16x2), slots(one(Mod::Relu))),
      kOfThree};
  template <ModSet M, class V>
  static V lanes(V a, V b) {
    if constexpr (kIsDouble<V>) {
      V greatest = -least_double(-a, -b);
      return or_nan_of(greatest, b);
    } else if constexpr (M.has(Mod::XorSign)) {
      return with_signs(finish<M>(-least<M>(-magnitude(flush<M>(a)), -magnitude(flush<M>(b)))), a, b);
    } else if constexpr (kIsFloat<V>) {
      return finish<M>(-least<M>(-flush<M>(a), -flush<M>(b)));
    } else {
      return not_below_zero<M>(select(mask_of<V>(a < b), b, a));
    }
  }
  template <ModSet M, class V>
  static V lanes(V a, V b, V c) {
    V greater = least<M>(-of_three<M>(a), -of_three<M>(b));
    return finish<M>(-least<M>(greater, -of_three<M>(c)));
  }
};

/// copysign: the sign of a with the magnitude of b.
struct Copysign {
  static constexpr Card card{.name = "copysign",
                             .operands = "d, a, b",
                             .latency = Latency::FloatAlu,
                             .summary = "the sign of a on b",
                             .manual = "9.7.3.2"};
  static constexpr std::array forms{Form{.types = kF32}.from(20, 20), double_form(slots()).from(20, 20)};
  template <ModSet M, class V>
  static V lanes(V a, V b) {
    return with_sign(b, a);
  }
};

/// testp: whether a number is of a class.
struct Testp {
  static constexpr Card card{.name = "testp",
                             .operands = "d:pred, a",
                             .latency = Latency::FloatAlu,
                             .summary = "class of a floating-point number",
                             .manual = "9.7.3.1"};
  static constexpr Slots kClass =
      slots(one(mods(Mod::Finite, Mod::Infinite, Mod::Number, Mod::NotANumber, Mod::Normal, Mod::Subnormal)));
  static constexpr std::array forms{Form{.types = kF32, .slots = kClass}.from(20, 20),
                                    double_form(kClass).from(20, 20)};
  template <ModSet M, class P, class V>
  static P lanes(V a) {
    auto size = bits_of(magnitude(a));
    using U = Lane<decltype(size)>;
    constexpr int kFraction = sizeof(U) == 4 ? 23 : 52;
    constexpr U kExponents = sizeof(U) == 4 ? 0xff : 0x7ff;
    auto infinity = splat<decltype(size)>(kExponents << kFraction), smallest = splat<decltype(size)>(U{1} << kFraction);
    if constexpr (M.has(Mod::Finite)) return mask_of<V>(size < infinity);
    if constexpr (M.has(Mod::Infinite)) return mask_of<V>(size == infinity);
    if constexpr (M.has(Mod::Number)) return mask_of<V>(size <= infinity);
    if constexpr (M.has(Mod::NotANumber)) return mask_of<V>(size > infinity);
    if constexpr (M.has(Mod::Normal))  // zero is one
      return (mask_of<V>(size < infinity) & mask_of<V>(size >= smallest)) | mask_of<V>(size == decltype(size){});
    return mask_of<V>(size < smallest) & mask_of<V>(size != decltype(size){});
  }
};

using SignMinMaxCards = CardList<Abs, Neg, Min, Max, Copysign, Testp>;

}  // namespace warptime::ptx::inline WARPTIME_ISA
