// Add, subtract, multiply, multiply-add, dot products. PTX ISA 9.0, sections 9.7.1 (integer), 9.7.3 (f32, f64) and
// 9.7.4 (f16, bf16). The forms with .cc begin carry chains; carry.h has the instructions that continue them.
#pragma once

#include "ptx/isa/carry.h"
#include "ptx/isa/double_lanes.h"
#include "ptx/isa/integer_lanes.h"

namespace warptime::ptx::inline WARPTIME_ISA {

/// What add, sub and mul of .f16 may have.
inline constexpr Slots kHalfSlots = slots(opt(Mod::Rn), kOptFtz, kOptSat);

/// add: d = a + b. Integers wrap; .sat clamps to the range of s32, for f32 to [0, 1].
struct Add {
  static constexpr Card card{
      .name = "add", .operands = "d, a, b", .summary = "sum", .manual = "9.7.1.1, 9.7.3.3, 9.7.4.1"};
  static constexpr std::array forms{
      Form{.types = kInteger},
      Form{.types = types(Type::S32), .slots = slots(one(Mod::Sat))},
      Form{.types = kF32, .slots = slots(kOptRounding, kOptFtz, kOptSat)}.takes(Latency::FloatAlu).counts(1),
      double_form(slots(kOptRounding)).counts(1),
      kCarryForms[0],
      kCarryForms[1],
      f16_form(kHalfSlots).counts(1),
      bf16_form(slots(opt(Mod::Rn))).counts(1),
      packed16_form(kPacked16),
      packed_f32_form(slots(kOptRounding, kOptFtz), Latency::FloatAlu).counts(1)};
  static constexpr LaneKind kind(ModSet m) { return m.has(Mod::Sat) ? LaneKind::Exact : LaneKind::SignFree; }
  template <ModSet M, class T>
  static constexpr size_t widest = kWidestFloat<M, T>;

  template <ModSet M, class V>
  static V lanes(V a, V b) {
    if constexpr (kIsDouble<V>) {
      return or_nan_of(rounded_add<M>(a, b), b, a);
    } else if constexpr (kIsFloat<V>) {
      return finish<M>(rounded_add<M>(flush<M>(a), flush<M>(b)));
    } else if constexpr (M.has(Mod::Sat)) {
      return saturating_add(a, b);
    } else {
      return a + b;
    }
  }
};

/// sub: d = a - b, wrapping and clamping as add does.
struct Sub {
  static constexpr Card card{
      .name = "sub", .operands = "d, a, b", .summary = "difference", .manual = "9.7.1.2, 9.7.3.4, 9.7.4.2"};
  static constexpr std::array forms{
      Form{.types = kInteger},
      Form{.types = types(Type::S32), .slots = slots(one(Mod::Sat))},
      Form{.types = kF32, .slots = slots(kOptRounding, kOptFtz, kOptSat)}.takes(Latency::FloatAlu).counts(1),
      double_form(slots(kOptRounding)).counts(1),
      kCarryForms[0],
      kCarryForms[1],
      f16_form(kHalfSlots).counts(1),
      bf16_form(slots(opt(Mod::Rn))).counts(1),
      packed_f32_form(slots(kOptRounding, kOptFtz), Latency::FloatAlu).counts(1)};
  static constexpr LaneKind kind(ModSet m) { return m.has(Mod::Sat) ? LaneKind::Exact : LaneKind::SignFree; }
  template <ModSet M, class T>
  static constexpr size_t widest = kWidestFloat<M, T>;

  template <ModSet M, class V>
  static V lanes(V a, V b) {
    if constexpr (kIsDouble<V>) {
      return or_nan_of(rounded_add<M>(a, -b), b, a);
    } else if constexpr (kIsFloat<V>) {
      return finish<M>(rounded_add<M>(flush<M>(a), flush<M>(-b)));
    } else if constexpr (M.has(Mod::Sat)) {
      return saturating_sub(a, b);
    } else {
      return a - b;
    }
  }
};

/// mul: the low half, the high half, or all of a product; f32 and f64 as IEEE 754 has it.
struct Mul {
  static constexpr Card card{.name = "mul",
                             .operands = "d, a, b",
                             .latency = Latency::IntMulHi,
                             .summary = "product",
                             .manual = "9.7.1.3, 9.7.3.5, 9.7.4.3"};
  static constexpr std::array forms{
      Form{.types = kInteger16, .slots = slots(one(mods(Mod::Lo, Mod::Hi)))}.takes(Latency::IntMul24),
      Form{.types = kInteger32, .slots = slots(one(Mod::Lo))}.takes(Latency::IntMul),
      Form{.types = kInteger64, .slots = slots(one(Mod::Lo))},
      Form{.types = kInteger32 | kInteger64, .slots = slots(one(Mod::Hi))},
      Form{.types = kInteger16, .slots = slots(one(Mod::Wide))}.with("d:wide, a, b").takes(Latency::IntMul24),
      Form{.types = kInteger32, .slots = slots(one(Mod::Wide))}.with("d:wide, a, b"),
      Form{.types = kF32, .slots = slots(kOptRounding, kOptFtz, kOptSat)}.takes(Latency::FloatAlu).counts(1),
      double_form(slots(kOptRounding)).counts(1),
      f16_form(kHalfSlots).counts(1),
      bf16_form(slots(opt(Mod::Rn))).counts(1),
      packed_f32_form(slots(kOptRounding, kOptFtz), Latency::FloatAlu).counts(1)};
  static constexpr LaneKind kind(ModSet m) { return m.has(Mod::Lo) ? LaneKind::SignFree : LaneKind::Exact; }
  template <ModSet M, class T>
  static constexpr size_t widest = kWidestProduct<M, T>;
  template <ModSet M, class D, class V>
  static D lanes(V a, V b) {
    if constexpr (kIsDouble<V>) {
      return or_nan_of(rounded_mul<M>(a, b), b, a);
    } else if constexpr (kIsFloat<V>) {
      return finish<M>(rounded_mul<M>(flush<M>(a), flush<M>(b)));
    } else {
      return product<M, D>(a, b);
    }
  }
};

/// mad: d = a * b + c. mad.f32 with a rounding is fma; without one it is the sm_1x instruction, whose product is
/// truncated to 24 bits before the addition (PTX ISA 9.7.3.7), and on later targets fma.rn. mad.f64 is always fma.
struct Mad {
  static constexpr Card card{.name = "mad",
                             .operands = "d, a, b, c",
                             .latency = Latency::IntMulHi,
                             .truncates_on_sm_1x = true,
                             .summary = "multiply-add",
                             .manual = "9.7.1.4, 9.7.3.7"};
  static constexpr std::array forms{
      Form{.types = kInteger16, .slots = slots(one(mods(Mod::Lo, Mod::Hi)))}.takes(Latency::IntMul24),
      Form{.types = kInteger32, .slots = slots(one(Mod::Lo))}.takes(Latency::IntMul),
      Form{.types = kInteger64, .slots = slots(one(Mod::Lo))},
      Form{.types = kInteger32 | kInteger64, .slots = slots(one(Mod::Hi))},
      Form{.types = types(Type::S32), .slots = slots(one(Mod::Hi), one(Mod::Sat))},
      Form{.types = kInteger16, .slots = slots(one(Mod::Wide))}.with("d:wide, a, b, c:wide").takes(Latency::IntMul24),
      Form{.types = kInteger32, .slots = slots(one(Mod::Wide))}.with("d:wide, a, b, c:wide"),
      Form{.types = kF32, .slots = slots(kOptRounding, kOptFtz, kOptSat)}.takes(Latency::FloatMad).counts(2),
      double_form(slots(kOptRounding)).counts(2),
      kCarryProductForms[0],
      kCarryProductForms[1],
      kCarryProductForms[2]};
  static constexpr LaneKind kind(ModSet m) { return m.has(Mod::Lo) ? LaneKind::SignFree : LaneKind::Exact; }
  template <ModSet M, class T>
  static constexpr size_t widest = std::is_same_v<T, float> ? (has_fma(M) && M.has(Mod::Rn) ? 4 : 8)
                                                            : kWidestProduct<M, T>;
  template <ModSet M, class D, class V>
  static D lanes(V a, V b, D c) {
    if constexpr (kIsDouble<V>) {
      return or_nan_of(rounded_fma<M>(a, b, c), b, c, a);
    } else if constexpr (!kIsFloat<V>) {
      return product_sum<M>(product<M, D>(a, b), c);
    } else if constexpr (M.has(Mod::Rn) || !rounds_to_nearest(M)) {
      return finish<M>(rounded_fma<M>(flush<M>(a), flush<M>(b), flush<M>(c)));
    } else {
      return truncating<M>(flush<M>(a), flush<M>(b), flush<M>(c));
    }
  }
  /// sm_1x: the product's significand is cut to 24 bits and its exponent not limited; if c is zero, mul and add.
  template <ModSet M, class V>
  static V truncating(V a, V b, V c) {
    using W = Like<V, double>;
    using U = Like<V, uint64_t>;
    W product = to<double>(a) * to<double>(b);
    W cut = as<double>(bits_of(product) & splat<U>(~uint64_t{0} << 29));
    V sum = to_float<M>(add_odd<M>(select(mask_of<W>(product == product), cut, product), to<double>(c)));
    return finish<M>(select(mask_of<V>(c == V{}), flush<M>(a * b) + c, sum));
  }
};

/// fma: d = a * b + c, rounded once. .relu: no less than 0. .oob: 0 where a or b is the
/// NaN 0x7ff7 or 0xfff7.
struct Fma {
  static constexpr Card card{.name = "fma",
                             .operands = "d, a, b, c",
                             .latency = Latency::FloatMad,
                             .summary = "multiply-add, rounded once",
                             .manual = "9.7.3.6, 9.7.4.4"};
  static constexpr std::array forms{
      Form{.types = kF32, .slots = slots(one(kRounding), kOptFtz, kOptSat)}.counts(2).from(20, 20),
      double_form(slots(one(kRounding))).counts(2).from(14, 13),
      f16_form(slots(one(Mod::Rn), kOptFtz, kOptSat)).counts(2),
      f16_form(slots(one(Mod::Rn), kOptFtz, one(Mod::Relu))).counts(2).from(70, 80),
      f16_form(slots(one(Mod::Rn), one(Mod::Oob), opt(Mod::Relu))).counts(2).from(81, 90),
      f16_form(slots(one(Mod::Rn), one(Mod::Sat), one(Mod::Oob))).counts(2).from(81, 90),
      bf16_form(slots(one(Mod::Rn), opt(Mod::Relu))).counts(2).from(70, 80),
      bf16_form(slots(one(Mod::Rn), one(Mod::Oob), opt(Mod::Relu))).counts(2).from(81, 90),
      packed_f32_form(slots(one(kRounding), kOptFtz), Latency::FloatMad).counts(2)};
  template <ModSet M, class T>
  static constexpr size_t widest = has_fma(M) ? sizeof(T) : 8;
  template <ModSet M, class V>
  static V lanes(V a, V b, V c) {
    if constexpr (kIsDouble<V>) {
      return or_nan_of(rounded_fma<M>(a, b, c), b, c, a);
    } else {
      return finish<M>(rounded_fma<M>(flush<M>(a), flush<M>(b), flush<M>(c)));
    }
  }
  /// fma of half-precision numbers; the caller rounds the result to their type.
  template <ModSet M, class V>
  static V halves(V a, V b, V c) {
    return to_odd_float(add_odd<M>(to<double>(a) * to<double>(b), to<double>(c)));
  }
};

/// mul24: the low or the high 32 bits of the 48-bit product of the low 24 bits of a and b.
struct Mul24 {
  static constexpr Card card{.name = "mul24",
                             .operands = "d, a, b",
                             .latency = Latency::IntMul24,
                             .summary = "product of 24-bit numbers",
                             .manual = "9.7.1.5"};
  static constexpr std::array forms{Form{.types = kInteger32, .slots = slots(one(mods(Mod::Lo, Mod::Hi)))}};
  template <ModSet M, class T>
  static constexpr size_t widest = M.has(Mod::Hi) ? 8 : 4;
  template <ModSet M, class V>
  static V lanes(V a, V b) {
    return product24<M>(a, b);
  }
};

/// mad24: the same, and a sum; .hi.sat clamps it to the range of s32.
struct Mad24 {
  static constexpr Card card{.name = "mad24",
                             .operands = "d, a, b, c",
                             .latency = Latency::IntMul24,
                             .summary = "multiply-add of 24-bit numbers",
                             .manual = "9.7.1.6"};
  static constexpr std::array forms{Form{.types = kInteger32, .slots = slots(one(mods(Mod::Lo, Mod::Hi)))},
                                    Form{.types = types(Type::S32), .slots = slots(one(Mod::Hi), one(Mod::Sat))}};
  template <ModSet M, class T>
  static constexpr size_t widest = M.has(Mod::Hi) ? 8 : 4;
  template <ModSet M, class V>
  static V lanes(V a, V b, V c) {
    return product_sum<M>(product24<M>(a, b), c);
  }
};

/// The sum of c and `count` products of neighbouring bytes of b, from byte `first` on, with what is as wide in a.
template <uint32_t kCount, class A, class B, class D>
inline D dot_product(A a, B b, D c, uint32_t first) {
  constexpr uint32_t kWidth = 32 / kCount;
  auto part = [](auto v, uint32_t from, uint32_t width) {
    using T = Lane<decltype(v)>;
    return as<uint32_t>(as<T>(bits_of(v) << (32 - from - width)) >> (32 - width));
  };
  auto sum = bits_of(c);
  for (uint32_t i = 0; i < kCount; ++i) sum += part(a, kWidth * i, kWidth) * part(b, 8 * (first + i), 8);
  return as<Lane<D>>(sum);
}
/// Their types: d and c are signed if a or b is.
inline constexpr TypeSet kU32 = types(Type::U32), kS32 = types(Type::S32);
constexpr std::array<Form, 3> dot_product_forms(Slots slots) {
  return {Form{.types = kU32, .types2 = kU32, .slots = slots}.from(50, 61),
          Form{.types = kU32, .types2 = kS32, .slots = slots}.with("d:s32, a, b:2, c:s32").from(50, 61),
          Form{.types = kS32, .types2 = kInteger32, .slots = slots}.from(50, 61)};
}

/// dp4a: c and the products of four bytes.
struct Dp4a {
  static constexpr Card card{.name = "dp4a",
                             .operands = "d, a, b:2, c",
                             .latency = Latency::IntMul,
                             .summary = "sum of products of four bytes",
                             .manual = "9.7.1.23"};
  static constexpr std::array forms = dot_product_forms(slots());
  template <ModSet M, class D, class A, class B>
  static D lanes(A a, B b, D c) {
    return dot_product<4>(a, b, c, 0);
  }
};

/// dp2a: c and the products of two halves of a with the low or high two bytes of b.
struct Dp2a {
  static constexpr Card card{.name = "dp2a",
                             .operands = "d, a, b:2, c",
                             .latency = Latency::IntMul,
                             .summary = "sum of products of two halves and bytes",
                             .manual = "9.7.1.24"};
  static constexpr std::array forms = dot_product_forms(slots(one(mods(Mod::Lo, Mod::Hi))));
  template <ModSet M, class D, class A, class B>
  static D lanes(A a, B b, D c) {
    return dot_product<2>(a, b, c, M.has(Mod::Hi) ? 2 : 0);
  }
};

/// sad: d = c + |a - b|.
struct Sad {
  static constexpr Card card{
      .name = "sad", .operands = "d, a, b, c", .summary = "sum of absolute differences", .manual = "9.7.1.7"};
  static constexpr std::array forms{Form{.types = kInteger}};
  template <ModSet M, class V>
  static V lanes(V a, V b, V c) {
    auto x = bits_of(a), y = bits_of(b);
    return as<Lane<V>>(bits_of(c) + select(mask_of<V>(a < b), y - x, x - y));
  }
};

using ArithmeticCards = CardList<Add, Sub, Mul, Mad, Fma, Mul24, Mad24, Dp4a, Dp2a, Sad>;

}  // namespace warptime::ptx::inline WARPTIME_ISA
