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

float from_integer(const Spelled& s, Wide x) {
  int mode = s.has(Mod::Rz) ? FE_TOWARDZERO : s.has(Mod::Rm) ? FE_DOWNWARD : s.has(Mod::Rp) ? FE_UPWARD : FE_TONEAREST;
  std::fesetround(mode);
  volatile long double exact = static_cast<long double>(x);  // 64 bits: exact for every integer type here
  volatile float result = static_cast<float>(exact);
  std::fesetround(FE_TONEAREST);
  return result;
}

}  // namespace

std::optional<Result> convert_reference(const Spelled& s, Sources v) {
  if (s.name != "cvt") return std::nullopt;
  bool from_float = s.type2 == Type::F32, to_float = s.type == Type::F32;
  if (!from_float) {
    Wide x = number(s.type2, v[0]);
    if (to_float) {
      Spelled plain = s;
      plain.legacy = false;  // no integer is subnormal
      return finished(plain, from_f32(from_integer(s, x)));
    }
    return Result{bits_as(s.type, s.has(Mod::Sat) ? clamp_to(s.type, x) : x)};
  }
  float x = to_f32(flushed(s, v[0]));
  if (to_float) {
    bool integral = !(s.mods & ptx::kIntRounding).empty();
    return finished(s, from_f32(integral ? static_cast<float>(to_integer(s, x)) : x));
  }
  if (x != x) return Result{ptx::bits(s.type) == 64 ? uint64_t{1} << 63 : 0};
  double whole = to_integer(s, x);
  if (whole > 0x1p70) whole = 0x1p70;
  if (whole < -0x1p70) whole = -0x1p70;
  return Result{bits_as(s.type, clamp_to(s.type, static_cast<Wide>(whole)))};
}

}  // namespace warptime::sim
