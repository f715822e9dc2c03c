// cvt: conversion between types. PTX ISA 9.0, section 9.7.9.21. f16 and f64 are not there.
#pragma once

#include "ptx/isa/float_lanes.h"

namespace warptime::ptx::inline WARPTIME_ISA {

/// cvt: integers are cut or extended (.sat: clamped); a number that the integer type cannot hold is clamped, a NaN
/// gives zero (the highest bit for 64-bit types). Registers may be wider than the types: a source is cut, a result
/// extended.
struct Cvt {
  static constexpr Card card{.name = "cvt",
                             .operands = "d, a:2",
                             .latency = Latency::Convert,
                             .summary = "convert between types",
                             .manual = "9.7.9.21"};
  static constexpr std::array forms{
      Form{.types = kAnyInteger, .types2 = kAnyInteger, .slots = slots(kOptSat)},
      Form{.types = kAnyInteger, .types2 = kF32, .slots = slots(one(kIntRounding), kOptFtz, kOptSat)},
      Form{.types = kF32, .types2 = kAnyInteger, .slots = slots(one(kRounding), kOptFtz, kOptSat)},
      Form{.types = kF32, .types2 = kF32, .slots = slots(opt(kIntRounding), kOptFtz, kOptSat)}};
  /// f32 to f32; the others are in conversion_lanes.h.
  template <ModSet M, class V>
  static V lanes(V a) {
    a = flush<M>(a);
    if constexpr (!(M & kIntRounding).empty()) a = rounded_integer<M>(a);
    return finish<M>(a);
  }
};

}  // namespace warptime::ptx::inline WARPTIME_ISA
