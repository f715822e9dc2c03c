// Divide, remainder, reciprocal and roots. PTX ISA 9.0, sections 9.7.1.8-9 (integer) and 9.7.3 (f32, f64).
//
// The approximate forms are correctly rounded here (the hardware's tables are not public; the manual only bounds their
// error), except where the manual says what a result is.
#pragma once

#include "ptx/isa/double_lanes.h"

namespace warptime::ptx::inline WARPTIME_ISA {

/// Quotients and roots of f64. PTX 1.0 to 1.3 write .rn or nothing; the other roundings came with sm_20.
inline constexpr Form kDoubleNearest = double_form(slots(opt(Mod::Rn)), Latency::DoubleDiv).counts(1);
inline constexpr Form kDoubleDirected =
    double_form(slots(one(mods(Mod::Rz, Mod::Rm, Mod::Rp))), Latency::DoubleDiv).counts(1).from(14, 20);

/// div: d = a / b. Integers round toward zero; by zero the quotient is all ones, as NVIDIA hardware gives it (the
/// manual leaves it open), and the most negative number divided by -1 is itself.
struct Div {
  static constexpr Card card{.name = "div",
                             .operands = "d, a, b",
                             .latency = Latency::IntDiv,
                             .summary = "quotient",
                             .manual = "9.7.1.8, 9.7.3.8"};
  static constexpr std::array forms{
      Form{.types = kInteger},
      // PTX 1.0 to 1.3 write the approximate form without its suffix.
      Form{.types = kF32, .slots = slots(opt(mods(Mod::Approx, Mod::Full)), kOptFtz)}
          .takes(Latency::FloatDiv)
          .counts(1),
      Form{.types = kF32, .slots = slots(one(kRounding), kOptFtz)}.takes(Latency::FloatDiv).counts(1).from(14, 20),
      kDoubleNearest, kDoubleDirected};
  template <ModSet M, class T>
  static constexpr size_t widest = std::is_same_v<T, float> ? kWidestFloat<M, T> : 8;

  template <ModSet M, class V>
  static V lanes(V a, V b) {
    if constexpr (kIsDouble<V>) {
      return or_nan_of(rounded_div<M>(a, b), a, b);
    } else if constexpr (!kIsFloat<V>) {
      return quotient(a, b);
    } else if constexpr (M.has(Mod::Approx)) {
      // a * (1 / b) with a reciprocal that is never subnormal: 0 beyond 2^126, NaN if a is infinite there.
      V reciprocal = flush<M | ModSet::of(Mod::Ftz)>(splat<V>(1.0f) / flush<M>(b));
      V near = rounded_div<M>(flush<M>(a), flush<M>(b));
      return finish<M>(select(mask_of<V>(reciprocal == V{}), flush<M>(a) * reciprocal, near));
    } else {
      return finish<M>(rounded_div<M>(flush<M>(a), flush<M>(b)));
    }
  }
};

/// rem: the remainder, with the sign of a; by zero all ones, as NVIDIA hardware gives it (the manual leaves it open).
struct Rem {
  static constexpr Card card{
      .name = "rem", .operands = "d, a, b", .latency = Latency::IntDiv, .summary = "remainder", .manual = "9.7.1.9"};
  static constexpr std::array forms{Form{.types = kInteger}};
  template <ModSet M, class T>
  static constexpr size_t widest = 8;
  template <ModSet M, class V>
  static V lanes(V a, V b) {
    auto rest = bits_of(a) - bits_of(b) * bits_of(quotient(a, b));
    return as<Lane<V>>(select(mask_of<V>(b == V{}), ~decltype(rest){}, rest));
  }
};

/// rcp.approx.ftz.f64, rsqrt.approx.ftz.f64: the upper words alone. `upper` cuts an operand (subnormal: zero; a NaN of
/// the lower word alone: infinity), `rounded_upper` rounds a result to the 20 bits of fraction that it has there; there
/// is one NaN.
template <class W>
inline W flushed_double(W x) {
  return select(mask_of<W>(magnitude(x) < splat<W>(0x1p-1022)), with_sign(W{}, x), x);
}
template <class W>
inline W upper(W x) {
  return flushed_double(as<double>(bits_of(x) & splat<Like<W, uint64_t>>(0xffffffff00000000u)));
}
template <class W>
inline W rounded_upper(W x) {
  using U = Like<W, uint64_t>;
  U nearest = (bits_of(x) + splat<U>(0x80000000u)) & splat<U>(0xffffffff00000000u);
  return select(mask_of<W>(x == x), flushed_double(as<double>(nearest)), as<double>(splat<U>(0x7fffffff00000000u)));
}
constexpr Form double_approximation(Slots slots, uint16_t ptx, uint16_t target) {
  return double_form(slots).in(Unit::Sfu).takes(Latency::Special).from(ptx, target);
}

/// rcp: d = 1 / a.
struct Rcp {
  static constexpr Card card{.name = "rcp",
                             .operands = "d, a",
                             .unit = Unit::Sfu,
                             .latency = Latency::Special,
                             .summary = "reciprocal",
                             .manual = "9.7.3.13"};
  static constexpr std::array forms{Form{.types = kF32, .slots = slots(opt(Mod::Approx), kOptFtz)}.counts(1),
                                    Form{.types = kF32, .slots = slots(one(kRounding), kOptFtz)}.counts(1).from(14, 20),
                                    kDoubleNearest, kDoubleDirected,
                                    double_approximation(slots(one(Mod::Approx), one(Mod::Ftz)), 21, 20)};
  template <ModSet M, class T>
  static constexpr size_t widest = kWidestFloat<M, T>;

  template <ModSet M, class V>
  static V lanes(V a) {
    if constexpr (kIsDouble<V> && M.has(Mod::Approx)) {
      return rounded_upper(splat<V>(1.0) / upper(a));
    } else if constexpr (kIsDouble<V>) {
      return or_nan_of(rounded_div<M>(splat<V>(1.0), a), a);
    } else {
      return finish<M>(rounded_div<M>(splat<V>(1.0f), flush<M>(a)));
    }
  }
};

/// sqrt: square root.
struct Sqrt {
  static constexpr Card card{.name = "sqrt",
                             .operands = "d, a",
                             .unit = Unit::Sfu,
                             .latency = Latency::SpecialRange,
                             .summary = "square root",
                             .manual = "9.7.3.15"};
  static constexpr std::array forms{Form{.types = kF32, .slots = slots(opt(Mod::Approx), kOptFtz)}.counts(1),
                                    Form{.types = kF32, .slots = slots(one(kRounding), kOptFtz)}.counts(1).from(14, 20),
                                    kDoubleNearest, kDoubleDirected};
  template <ModSet M, class T>
  static constexpr size_t widest = kWidestFloat<M, T>;

  template <ModSet M, class V>
  static V lanes(V a) {
    if constexpr (kIsDouble<V>) {
      return or_nan_of(rounded_sqrt<M>(a), a);
    } else {
      return finish<M>(rounded_sqrt<M>(flush<M>(a)));
    }
  }
};

/// rsqrt: 1 / square root.
struct Rsqrt {
  static constexpr Card card{.name = "rsqrt",
                             .operands = "d, a",
                             .unit = Unit::Sfu,
                             .latency = Latency::Special,
                             .summary = "reciprocal of the square root",
                             .manual = "9.7.3.16"};
  static constexpr std::array forms{Form{.types = kF32, .slots = slots(opt(Mod::Approx), kOptFtz)}.counts(1),
                                    double_form(slots(one(Mod::Approx)), Latency::DoubleDiv),
                                    double_approximation(slots(one(Mod::Approx), one(Mod::Ftz)), 40, 20)};
  template <ModSet M, class T>
  static constexpr size_t widest = 8;
  template <ModSet M, class V>
  static V lanes(V a) {
    using W = Like<V, double>;
    // The root of -0 is -0, and so its reciprocal -infinity.
    if constexpr (kIsDouble<V> && M.has(Mod::Ftz)) {
      return rounded_upper(splat<W>(1.0) / square_root(upper(a)));
    } else if constexpr (kIsDouble<V>) {
      return or_nan_of(splat<W>(1.0) / square_root(a), a);
    } else {
      W x = to<double>(flush<M>(a));
      return finish<M>(to<float>(splat<W>(1.0) / square_root(x)));
    }
  }
};

using DivisionCards = CardList<Div, Rem, Rcp, Sqrt, Rsqrt>;

}  // namespace warptime::ptx::inline WARPTIME_ISA
