// Half precision, PTX ISA 9.7.4, and cvt to and from it. An exact result is a long double and whether a little is
// missing from it; it is rounded by a search among all numbers of the type.
#include <cfenv>
#include <cmath>

#include "reference.h"

namespace warptime::sim {

using ptx::Mod, ptx::Type;

namespace {

constexpr uint64_t kHalfNan = 0x7fff, kHalfSign = 0x8000;

/// A number whose magnitude is `size`, or a little more if something is missing.
struct Exact {
  long double size = 0;
  bool negative = false, more = false;
};
Exact exact(long double x) { return {std::fabs(x), std::signbit(x), false}; }

/// f() cut off, which fenv says.
template <class F>
Exact cut(const F& f) {
  std::fesetround(FE_TOWARDZERO);
  std::feclearexcept(FE_ALL_EXCEPT);
  volatile long double result = f();
  bool inexact = std::fetestexcept(FE_INEXACT) != 0;
  std::fesetround(FE_TONEAREST);
  return {std::fabs(result), std::signbit(result), inexact};
}

uint64_t infinity_of(Type type) { return type == Type::F16 ? 0x7c00 : type == Type::BF16 ? 0x7f80 : 0x7f800000; }
/// The number that follows in the list of a type's; after the largest one that which would come next.
long double number_at(Type type, uint64_t index) {
  if (index < infinity_of(type)) return static_cast<long double>(narrow_value(type, index));
  return type == Type::F16 ? 0x1p16L : 0x1p128L;
}

/// The bits of x in a half-precision type or in tf32, whose numbers are `step` encodings apart.
uint64_t nearest(Type type, const Spelled& s, const Exact& x, uint64_t sign, uint64_t step = 1) {
  uint64_t low = 0, high = infinity_of(type) / step;
  uint64_t bits = high * step;
  if (x.size < number_at(type, bits) || !std::isinf(x.size)) {
    while (high - low > 1) {
      uint64_t middle = (low + high) / 2;
      (number_at(type, middle * step) <= x.size ? low : high) = middle;
    }
    if (x.size >= number_at(type, high * step)) low = high;
    long double a = number_at(type, low * step), b = number_at(type, (low + 1) * step), half = a + (b - a) / 2;
    bool inexact = x.size > a || x.more, above = x.size > half || (x.size == half && x.more);
    bool up = above || (x.size == half && (low % 2 != 0 || s.has(Mod::Rna)));
    if (s.has(Mod::Rz)) up = false;
    if (s.has(Mod::Rm)) up = inexact && x.negative;
    if (s.has(Mod::Rp)) up = inexact && !x.negative;
    if (low == infinity_of(type) / step)  // too large
      up = s.has(Mod::Rz) || (s.has(Mod::Rm) && !x.negative) || (s.has(Mod::Rp) && x.negative) ? false : true, --low;
    bits = (low + (up ? 1 : 0)) * step;
  }
  if (s.has(Mod::Satfinite) && bits == infinity_of(type)) bits -= step;
  if (s.has(Mod::Relu) && x.negative) return 0;
  return x.negative ? bits | sign : bits;
}

/// .ftz: the result is zero if it is below the normal numbers, rounded as if exponents had no limit.
bool is_tiny(Type type, const Spelled& s, Exact x) {
  if (!s.has(Mod::Ftz)) return false;
  x.size *= 1024;
  return x.size != 0 && number_at(type, nearest(type, {s.name, {}}, {x.size, false, x.more}, 0)) <
                            1024 * number_at(type, type == Type::F16 ? 0x400 : 0x80);
}

uint64_t half_finished(Type type, const Spelled& s, Exact x) {
  if (std::isnan(x.size)) return s.has(Mod::Sat) ? 0 : kHalfNan;
  if (s.has(Mod::Sat)) {
    if (x.negative) return 0;
    if (x.size > 1) x = {1, false, false};
  }
  if (is_tiny(type, s, x)) x = {0, x.negative, false};
  return nearest(type, s, x, kHalfSign);
}

uint64_t flushed_half(Type type, const Spelled& s, uint64_t bits) {
  return s.has(Mod::Ftz) && (bits & 0x7fff) < (type == Type::F16 ? 0x400u : 0x80u) ? bits & kHalfSign : bits;
}

long double least_half(const Spelled& s, long double a, long double b) {
  if (std::isnan(a) || std::isnan(b)) return s.has(Mod::NaN) || std::isnan(b) ? (s.has(Mod::NaN) ? b + a : a) : b;
  if (a == 0 && b == 0) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

/// The result for one element.
std::optional<Result> half_arithmetic(const Spelled& s, Type type, Sources v) {
  auto is = [&](std::string_view name) { return s.name == name; };
  long double x[3]{};
  for (size_t i = 0; i < v.size(); ++i)
    x[i] = static_cast<long double>(narrow_value(type, flushed_half(type, s, v[i])));
  volatile long double a = x[0], b = x[1], c = x[2];
  auto done = [&](const Exact& exact, uint32_t ulps = 0) { return Result{half_finished(type, s, exact), false, ulps}; };
  if (is("add")) return done(cut([&] { return a + b; }));
  if (is("sub")) return done(cut([&] { return a - b; }));
  if (is("mul")) return done(cut([&] { return a * b; }));
  if (is("fma")) {
    Exact sum = cut([&] { return a * b + c; });
    // Only in this mode is the zero of 1 - 1 right.
    if (sum.size == 0 && !sum.more) sum.negative = std::signbit(static_cast<long double>(a * b + c));
    return done(sum);
  }
  if (is("neg")) return done(exact(-a));
  if (is("abs")) return done(exact(std::fabs(a)));
  if (is("min") || is("max")) {
    bool signs = s.has(Mod::XorSign), negative = signs && ((v[0] ^ v[1]) & kHalfSign) != 0;
    long double p = signs ? std::fabs(a) : a, q = signs ? std::fabs(b) : b;
    long double result = is("min") ? least_half(s, p, q) : -least_half(s, -p, -q);
    return done(exact(negative ? -result : result));
  }
  if (is("ex2")) return done(exact(std::exp2(a)), 1);
  if (is("tanh")) return done(exact(std::tanh(a)), 1);
  return std::nullopt;
}

bool is_half_nan(Type type, uint64_t bits) {
  if (type == Type::F64) return std::isnan(to_f64(bits));
  return type == Type::F32 ? std::isnan(to_f32(bits)) : std::isnan(narrow_value(type, bits));
}

/// cvt of a NaN: what is made of f32 is the one NaN; to and from f64 the upper bits stay and it becomes quiet; from
/// bf16 to f32 all bits stay.
uint64_t converted_nan(const Spelled& s, Type to, uint64_t bits) {
  if (s.has(Mod::Sat)) return 0;
  bool wide = to == Type::F64, from_wide = s.type2 == Type::F64;
  if (s.type2 == Type::BF16 && to == Type::F32 && !s.has(Mod::Ftz)) return bits << 16;
  uint32_t fraction = to == Type::F16 ? 10 : 7;
  if (from_wide)
    return (bits >> 63 << 15) | infinity_of(to) | 1u << (fraction - 1) | (bits & 0xfffffffffffff) >> (52 - fraction);
  fraction = s.type2 == Type::F16 ? 10 : 7;
  uint64_t payload = bits & ((1u << fraction) - 1);
  if (wide) return (bits >> 15 << 63) | 0x7ff8000000000000 | payload << (52 - fraction);
  return to == Type::F32 ? 0x7fffffff : kHalfNan;
}

double to_whole(const Spelled& s, double x) {
  if (s.has(Mod::Rmi)) return std::floor(x);
  if (s.has(Mod::Rpi)) return std::ceil(x);
  if (s.has(Mod::Rzi)) return std::trunc(x);
  return s.has(Mod::Rni) ? std::nearbyint(x) : x;
}

/// The upper 19 bits of an f32. .rna leaves a NaN's, and .satfinite takes one from those of a NaN, too.
uint64_t tensor_float(const Spelled& s, uint64_t bits) {
  if (!is_half_nan(Type::F32, bits)) return nearest(Type::TF32, s, exact(to_f32(bits)), 0x80000000, 0x2000);
  if (!s.has(Mod::Rna)) return 0x7fffe000;
  return (bits & ~uint64_t{0x1fff}) - (s.has(Mod::Satfinite) ? 0x2000 : 0);
}

/// Between floating-point types; `to` is one element.
uint64_t between(const Spelled& s, Type to, uint64_t bits) {
  if (to == Type::TF32) return tensor_float(s, bits);
  if (s.type2 == Type::F32 && to != Type::F16) bits = flushed(s, bits);
  if (is_half_nan(s.type2, bits)) return converted_nan(s, to, bits);
  double x = s.type2 == Type::F64 ? to_f64(bits) : s.type2 == Type::F32 ? to_f32(bits) : narrow_value(s.type2, bits);
  x = std::copysign(to_whole(s, x), x);
  if (to == Type::F64) return from_f64(s.has(Mod::Sat) ? (x > 0 ? std::fmin(x, 1.0) : 0.0) : x);
  if (to == Type::F32) return warptime::sim::finished(s, from_f32(static_cast<float>(x))).bits;
  Spelled rounding = s;
  rounding.mods = s.mods.without(ptx::mods(Mod::Ftz));
  return half_finished(to, rounding, exact(static_cast<long double>(x)));
}

std::optional<Result> half_conversion(const Spelled& s, Sources v) {
  auto is_float = [](Type type) { return info(type).kind == ptx::TypeKind::Float; };
  if (info(s.type).kind == ptx::TypeKind::Packed) {
    Type to = half_element(s.type);
    return Result{between(s, to, v[0]) << 16 | between(s, to, v[1])};
  }
  if (!is_float(s.type2))
    return Result{half_finished(s.type, s, exact(static_cast<long double>(number(s.type2, v[0]))))};
  if (is_float(s.type)) return Result{between(s, s.type, v[0])};
  // To an integer: as from f32 of the same value.
  Spelled of_f32 = s;
  of_f32.type2 = Type::F32;
  double x = narrow_value(s.type2, v[0]);
  uint64_t bits[] = {std::isnan(x) ? 0x7fffffff : from_f32(static_cast<float>(x))};
  return convert_reference(of_f32, bits);
}

}  // namespace

std::optional<Result> half_reference(const Spelled& s, Sources v) {
  bool of_halves = is_half(s.type2 == Type::None ? s.type : s.type2);
  if (s.name == "cvt") {
    bool concerned = of_halves || is_half(s.type) || s.type == Type::TF32;
    return concerned ? half_conversion(s, v) : std::nullopt;
  }
  if (!of_halves || s.name == "set" || s.name == "setp") return std::nullopt;  // reference_compare.cc
  Type type = half_element(s.type);
  Result out;
  for (uint32_t shift = 0; shift < ptx::bits(s.type); shift += 16) {
    std::vector<uint64_t> elements;
    for (uint64_t bits : v) elements.push_back(bits >> shift & 0xffff);
    // The NaN that stands for a tensor's element out of bounds, as an H100 knows it.
    auto is_outside = [&](size_t i) { return (elements[i] & 0x7fff) == 0x7ff7; };
    bool outside = s.has(Mod::Oob) && (is_outside(0) || is_outside(1));
    auto element = half_arithmetic(s, type, elements);
    if (!element) return std::nullopt;
    out.bits |= (outside ? 0 : element->bits) << shift;
    out.ulps = element->ulps;
  }
  return out;
}

}  // namespace warptime::sim
