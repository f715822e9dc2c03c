// cvt, PTX ISA 9.7.9.21.
#include <cfenv>
#include <cmath>

#include "reference.h"

namespace warptime::sim {

using ptx::Mod, ptx::Type;

namespace {

Wide clamp_to(Type type, Wide x) {
  uint32_t width = ptx::bits(type);
  bool is_signed = info(type).kind == ptx::TypeKind::Signed;
  Wide low = is_signed ? -(Wide{1} << (width - 1)) : Wide{0};
  Wide high = (Wide{1} << (is_signed ? width - 1 : width)) - 1;
  return x < low ? low : x > high ? high : x;
}

double to_integer(const Spelled& s, double x) {
  if (s.has(Mod::Rmi)) return std::floor(x);
  if (s.has(Mod::Rpi)) return std::ceil(x);
  return s.has(Mod::Rzi) ? std::trunc(x) : std::nearbyint(x);
}

/// An integer as f32 or f64.
Result from_integer(const Spelled& s, Wide x) {
  std::fesetround(host_rounding(s));
  volatile long double exact = static_cast<long double>(x);  // 64 bits: exact for every integer type here
  volatile float narrow = static_cast<float>(exact);
  volatile double wide = static_cast<double>(exact);
  std::fesetround(FE_TONEAREST);
  if (s.type == Type::F64) return {from_f64(s.has(Mod::Sat) ? std::fmin(std::fmax(wide, 0.0), 1.0) : wide)};
  Spelled plain = s;
  plain.legacy = false;  // no integer is subnormal
  return finished(plain, from_f32(narrow));
}

/// Where one of the types is f64. A NaN keeps its bits, made quiet; .ftz makes one NaN of all f32 that come in.
Result between_floats(const Spelled& s, uint64_t bits) {
  bool to_f32_ = s.type == Type::F32;
  double x = s.type2 == Type::F64 ? to_f64(bits) : to_f32(flushed(s, bits));
  if (x != x) {
    if (s.has(Mod::Sat)) return {0};
    if (s.type2 == Type::F32 && s.has(Mod::Ftz)) bits = 0x7fffffff;
    uint64_t wide = s.type2 == Type::F64 ? bits | uint64_t{1} << 51
                                         : (bits >> 31 << 63) | 0x7ff8000000000000 | (bits & 0x007fffff) << 29;
    return {to_f32_ ? (wide >> 63 << 31) | 0x7fc00000 | (wide >> 29 & 0x007fffff) : wide};
  }
  if (!(s.mods & ptx::kIntRounding).empty()) x = to_integer(s, x);
  std::fesetround(host_rounding(s));
  volatile double exact = x;
  volatile float narrow = static_cast<float>(exact), scaled = static_cast<float>(exact * 0x1p24);
  std::fesetround(FE_TONEAREST);
  // .ftz goes by the value rounded as if exponents had no limit.
  if (to_f32_ && (s.has(Mod::Ftz) || s.legacy) && std::fabs(scaled) < 0x1p-102f) narrow = std::copysign(0.0f, narrow);
  if (to_f32_) return finished(s, from_f32(narrow));
  if (s.has(Mod::Sat)) x = !(x > 0) ? 0.0 : std::fmin(x, 1.0);
  return {from_f64(x)};
}

}  // namespace

std::optional<Result> convert_reference(const Spelled& s, Sources v) {
  if (s.name != "cvt") return std::nullopt;
  auto floats = [](Type type) { return type == Type::F32 || type == Type::F64; };
  if (!floats(s.type2)) {
    Wide x = number(s.type2, v[0]);
    if (floats(s.type)) return from_integer(s, x);
    return Result{bits_as(s.type, s.has(Mod::Sat) ? clamp_to(s.type, x) : x)};
  }
  bool plain = (s.mods & (ptx::kIntRounding | ptx::mods(Mod::Ftz, Mod::Sat))).empty();
  bool flushes = s.legacy && s.type == Type::F32;
  if (s.type == s.type2 && plain && !flushes) return Result{v[0]};
  if (floats(s.type) && (s.type == Type::F64 || s.type2 == Type::F64)) return between_floats(s, v[0]);
  double x = s.type2 == Type::F64 ? to_f64(v[0]) : to_f32(flushed(s, v[0]));
  if (s.type == Type::F32) {
    bool integral = !(s.mods & ptx::kIntRounding).empty();
    return finished(s, from_f32(static_cast<float>(integral ? to_integer(s, x) : x)));
  }
  if (x != x) {
    // The manual says so of 64-bit integers; an H200 does it for all that come from f64.
    bool highest = ptx::bits(s.type) == 64 || s.type2 == Type::F64;
    return Result{highest ? uint64_t{1} << (ptx::bits(s.type) - 1) : 0};
  }
  double whole = to_integer(s, x);
  if (whole > 0x1p70) whole = 0x1p70;
  if (whole < -0x1p70) whole = -0x1p70;
  return Result{bits_as(s.type, clamp_to(s.type, static_cast<Wide>(whole)))};
}

}  // namespace warptime::sim
