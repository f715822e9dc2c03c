// Sets of types and suffix words that several cards share, and the namespace that all cards live in.
//
// The lane code of the cards is compiled once for each host instruction set. Everything it instantiates carries the
// set's name (WARPTIME_ISA, given by the build) in its symbols, so that the linker can never put code for a newer
// processor in the place of code for an older one. Without a name the headers are only the table of cards.
#pragma once

#include "ptx/isa/card.h"

#ifndef WARPTIME_ISA
#define WARPTIME_ISA table
#endif

namespace warptime::ptx {

/// The cards of a chapter, by type.
template <class... Cards>
struct CardList {};

inline constexpr TypeSet kUnsigned = types(Type::U16, Type::U32, Type::U64);
inline constexpr TypeSet kSigned = types(Type::S16, Type::S32, Type::S64);
inline constexpr TypeSet kBits = types(Type::B16, Type::B32, Type::B64);
inline constexpr TypeSet kInteger = kUnsigned | kSigned;
inline constexpr TypeSet kInteger16 = types(Type::U16, Type::S16);
inline constexpr TypeSet kInteger32 = types(Type::U32, Type::S32);
inline constexpr TypeSet kInteger64 = types(Type::U64, Type::S64);
/// Any integer that cvt, ld and st know, bytes included.
inline constexpr TypeSet kAnyInteger = kInteger | types(Type::U8, Type::S8);
inline constexpr TypeSet kF32 = types(Type::F32);
inline constexpr TypeSet kF64 = types(Type::F64);

/// How much of a type a card's lane code needs. Types that it does not tell apart share one compiled function.
enum class LaneKind : uint8_t {
  Exact,     // the type as it is
  SignFree,  // signed and unsigned integers give the same bits
  Bits,      // only the width matters
};

inline constexpr Slot kOptRounding = opt(kRounding);
inline constexpr Slot kOptFtz = opt(Mod::Ftz);
inline constexpr Slot kOptSat = opt(Mod::Sat);

/// A form of f64 arithmetic, which machines with double-precision units have.
constexpr Form double_form(Slots slots, Latency latency = Latency::Double) {
  return Form{.types = kF64, .slots = slots}.in(Unit::Dp).takes(latency).from(10, 13).needs(Feature::F64);
}

inline constexpr TypeSet kF16 = types(Type::F16, Type::F16x2);
inline constexpr TypeSet kBF16 = types(Type::BF16, Type::BF16x2);
/// Forms of half-precision arithmetic, a number or two side by side (PTX ISA 9.7.4).
constexpr Form f16_form(Slots slots, Latency latency = Latency::FloatAlu) {
  return Form{.types = kF16, .slots = slots}.takes(latency).from(42, 53).needs(Feature::F16);
}
constexpr Form bf16_form(Slots slots, Latency latency = Latency::FloatAlu) {
  return Form{.types = kBF16, .slots = slots}.takes(latency).from(78, 90).needs(Feature::BF16);
}
inline constexpr TypeSet kPacked16 = types(Type::U16x2, Type::S16x2);
/// Forms that compute on each of two integers of 16 bits, or two f32, in a register: their lane code is that of the
/// element (sim/exec/packed_code.h).
constexpr Form packed16_form(TypeSet set, Slots slots = {}) {
  return Form{.types = set, .slots = slots}.from(80, 90).needs(Feature::Packed16);
}
constexpr Form packed_f32_form(Slots slots, Latency latency) {
  return Form{.types = types(Type::F32x2), .slots = slots}.takes(latency).from(86, 100).needs(Feature::PackedF32);
}
constexpr bool computes_packed(const Form& form) {
  return !form.types.empty() && (form.types.mask & ~(kPacked16 | types(Type::F32x2)).mask) == 0;
}
/// Whether a form computes on half-precision numbers: their lane code is made apart (sim/exec/half_code.h).
constexpr bool computes_halves(const Form& form) {
  TypeSet sources = form.types2.empty() ? form.types : form.types2;
  return !sources.empty() && (sources.mask & ~(kF16 | kBF16).mask) == 0;
}

}  // namespace warptime::ptx
