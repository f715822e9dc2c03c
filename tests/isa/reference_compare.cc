// setp, set, selp, slct. PTX ISA 9.3.1 (integers) and 9.3.2 (floating point).
#include <cmath>

#include "reference.h"

namespace warptime::sim {

using ptx::Mod, ptx::Type;

namespace {

bool compare(const Spelled& s, Type type, uint64_t x, uint64_t y) {
  bool less = false, equal = false, greater = false, unordered = false;
  if (info(type).kind == ptx::TypeKind::Float) {
    auto value = [&](uint64_t bits) {
      if (type == Type::F64) return to_f64(bits);
      if (type == Type::F32) return static_cast<double>(to_f32(flushed(s, bits)));
      bool subnormal = (bits & 0x7fff) < (type == Type::F16 ? 0x400u : 0x80u);
      return s.has(Mod::Ftz) && subnormal ? 0.0 : narrow_value(type, bits);
    };
    double a = value(x), b = value(y);
    unordered = std::isnan(a) || std::isnan(b);
    less = std::isless(a, b);
    greater = std::isgreater(a, b);
    equal = !unordered && !less && !greater;
  } else {
    Wide a = number(type, x), b = number(type, y);
    less = a < b;
    greater = a > b;
    equal = a == b;
  }
  if (s.has(Mod::Eq)) return equal;
  if (s.has(Mod::Ne)) return less || greater;
  if (s.has(Mod::Lt) || s.has(Mod::Lo_)) return less;
  if (s.has(Mod::Le) || s.has(Mod::Ls)) return less || equal;
  if (s.has(Mod::Gt) || s.has(Mod::Hi_)) return greater;
  if (s.has(Mod::Ge) || s.has(Mod::Hs)) return greater || equal;
  if (s.has(Mod::Equ)) return equal || unordered;
  if (s.has(Mod::Neu)) return less || greater || unordered;
  if (s.has(Mod::Ltu)) return less || unordered;
  if (s.has(Mod::Leu)) return less || equal || unordered;
  if (s.has(Mod::Gtu)) return greater || unordered;
  if (s.has(Mod::Geu)) return greater || equal || unordered;
  return s.has(Mod::Num) ? !unordered : unordered;
}

bool combine(const Spelled& s, bool t, Sources v) {
  if (v.size() < 3) return t;
  bool c = v[2] != 0;
  if (s.has(Mod::And)) return t && c;
  return s.has(Mod::Or) ? t || c : t != c;
}

}  // namespace

std::optional<Result> compare_reference(const Spelled& s, Sources v) {
  Type source = s.name == "set" ? s.type2 : s.type;
  if (s.name == "setp" && info(source).kind == ptx::TypeKind::Packed) {  // p of the lower numbers, q of the upper ones
    Type type = half_element(source);
    return Result{combine(s, compare(s, type, v[0] & 0xffff, v[1] & 0xffff), v) ? 1u : 0u,
                  combine(s, compare(s, type, v[0] >> 16, v[1] >> 16), v)};
  }
  if (s.name == "set" && info(source).kind == ptx::TypeKind::Packed) {
    uint64_t yes = is_half(s.type) ? half_one(s.type) : 0xffff, result = 0;
    for (uint32_t shift : {0u, 16u})
      if (combine(s, compare(s, half_element(source), v[0] >> shift & 0xffff, v[1] >> shift & 0xffff), v))
        result |= yes << shift;
    return Result{result};
  }
  if (s.name == "setp") {
    bool t = compare(s, s.type, v[0], v[1]);
    return Result{combine(s, t, v) ? 1u : 0u, combine(s, !t, v)};
  }
  if (s.name == "set") {
    bool t = combine(s, compare(s, s.type2, v[0], v[1]), v);
    if (!t) return Result{0};
    if (is_half(s.type)) return Result{half_one(s.type)};
    return Result{s.type == Type::F32 ? from_f32(1.0f) : bits_as(s.type, -1)};
  }
  if (s.name == "selp") return Result{v[2] != 0 ? v[0] : v[1]};
  if (s.name == "slct") {
    bool first = s.type2 == Type::S32 ? number(Type::S32, v[2]) >= 0 : to_f32(flushed(s, v[2])) >= 0;
    return Result{first ? v[0] : v[1]};
  }
  return std::nullopt;
}

}  // namespace warptime::sim
