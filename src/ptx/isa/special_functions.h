// Transcendental functions. PTX ISA 9.0, sections 9.7.3.17-22 and 9.7.4.9-10.
//
// The manual bounds the error of the hardware's tables and gives no bits. Here the function is computed in double
// precision from +, -, *, / alone and rounded once, so every host gives the same bits; errors are below the manual's.
#pragma once

#include "ptx/isa/transcendental.h"

namespace warptime::ptx::inline WARPTIME_ISA {

/// What the five cards have in common. PTX 1.0 to 1.3 write them without .approx.
inline constexpr Form kSpecialFunction = Form{.types = kF32, .slots = slots(opt(Mod::Approx), kOptFtz)}.counts(1);

/// sin: of an angle in radians.
struct Sin {
  static constexpr Card card{.name = "sin",
                             .operands = "d, a",
                             .unit = Unit::Sfu,
                             .latency = Latency::SpecialRange,
                             .summary = "sine",
                             .manual = "9.7.3.18"};
  static constexpr std::array forms{kSpecialFunction};
  template <ModSet M, class T>
  static constexpr size_t widest = 8;
  template <ModSet M, class V>
  static V lanes(V a) {
    return finish<M>(to<float>(sine<0>(flush<M>(a))));
  }
};

/// cos: of an angle in radians.
struct Cos {
  static constexpr Card card{.name = "cos",
                             .operands = "d, a",
                             .unit = Unit::Sfu,
                             .latency = Latency::SpecialRange,
                             .summary = "cosine",
                             .manual = "9.7.3.19"};
  static constexpr std::array forms{kSpecialFunction};
  template <ModSet M, class T>
  static constexpr size_t widest = 8;
  template <ModSet M, class V>
  static V lanes(V a) {
    return finish<M>(to<float>(sine<1>(flush<M>(a))));
  }
};

/// lg2: logarithm to base 2.
struct Lg2 {
  static constexpr Card card{.name = "lg2",
                             .operands = "d, a",
                             .unit = Unit::Sfu,
                             .latency = Latency::Special,
                             .summary = "logarithm to base 2",
                             .manual = "9.7.3.20"};
  static constexpr std::array forms{kSpecialFunction};
  template <ModSet M, class T>
  static constexpr size_t widest = 8;
  template <ModSet M, class V>
  static V lanes(V a) {
    return finish<M>(to<float>(logarithm2(to<double>(flush<M>(a)))));
  }
};

/// ex2: 2 to the power of a.
struct Ex2 {
  static constexpr Card card{.name = "ex2",
                             .operands = "d, a",
                             .unit = Unit::Sfu,
                             .latency = Latency::SpecialRange,
                             .summary = "power of 2",
                             .manual = "9.7.3.21, 9.7.4.10"};
  static constexpr std::array forms{kSpecialFunction,
                                    f16_form(slots(one(Mod::Approx)), Latency::SpecialRange).counts(1).from(70, 75),
                                    bf16_form(slots(one(Mod::Approx), one(Mod::Ftz)), Latency::SpecialRange).counts(1)};
  template <ModSet M, class T>
  static constexpr size_t widest = 8;
  template <ModSet M, class V>
  static V lanes(V a) {
    return finish<M>(to<float>(power2(to<double>(flush<M>(a)))));
  }
};

/// tanh: hyperbolic tangent; has no .ftz.
struct Tanh {
  static constexpr Card card{.name = "tanh",
                             .operands = "d, a",
                             .unit = Unit::Sfu,
                             .latency = Latency::SpecialRange,
                             .summary = "hyperbolic tangent",
                             .manual = "9.7.3.22, 9.7.4.9"};
  static constexpr std::array forms{Form{.types = kF32, .slots = slots(one(Mod::Approx))}.counts(1).from(70, 75),
                                    f16_form(slots(one(Mod::Approx)), Latency::SpecialRange).counts(1).from(70, 75),
                                    bf16_form(slots(one(Mod::Approx)), Latency::SpecialRange).counts(1)};
  template <ModSet M, class T>
  static constexpr size_t widest = 8;
  template <ModSet M, class V>
  static V lanes(V a) {
    return finish<M>(to<float>(hyperbolic_tangent(to<double>(a))));
  }
};

using SpecialFunctionCards = CardList<Sin, Cos, Lg2, Ex2, Tanh>;

}  // namespace warptime::ptx::inline WARPTIME_ISA
