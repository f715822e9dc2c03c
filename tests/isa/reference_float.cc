// f32 arithmetic, with the host's own rounding modes. Approximate instructions are held to the host's double precision
// library with a unit in the last place to spare.
#include <cfenv>
#include <cmath>

#include "reference.h"

namespace warptime::sim {

using ptx::Mod, ptx::Type;

namespace {

/// f with the host rounding as the instruction says. `volatile` keeps the compiler from moving operations across.
template <class F>
float rounded(const Spelled& s, const F& f) {
  std::fesetround(host_rounding(s));
  volatile float result = f();
  std::fesetround(FE_TONEAREST);
  return result;
}

/// rounded() for a result that .ftz may make zero: that depends on the value rounded as if exponents had no limit,
/// which `scaled`, 2^24 times as large, shows.
template <class F, class G>
float rounded_or_zero(const Spelled& s, const F& f, const G& scaled) {
  float result = rounded(s, f);
  bool flushes = s.has(Mod::Ftz) || s.legacy;
  return flushes && std::fabs(rounded(s, scaled)) < 0x1p-102f ? std::copysign(0.0f, result) : result;
}

/// mad.f32 on sm_1x (PTX ISA 9.7.3.7): the product in double precision, its significand cut to 24 bits; if c is zero,
/// the same as mul and add.
float truncating_mad(const Spelled& s, float a, float b, float c) {
  if (c == 0) return to_f32(flushed(s, from_f32(a * b))) + c;
  double product = static_cast<double>(a) * static_cast<double>(b);
  if (!std::isfinite(product) || !std::isfinite(c)) return static_cast<float>(product + static_cast<double>(c));
  int exponent = 0;
  double fraction = std::frexp(product, &exponent);
  product = std::ldexp(std::trunc(std::ldexp(fraction, 24)), exponent - 24);
  // The sum rounded once: toward zero in double precision, with inexactness kept in the last bit.
  std::fesetround(FE_TOWARDZERO);
  std::feclearexcept(FE_ALL_EXCEPT);
  volatile double x = product, y = c;
  volatile double sum = x + y;
  bool inexact = std::fetestexcept(FE_INEXACT) != 0;
  std::fesetround(FE_TONEAREST);
  uint64_t bits = std::bit_cast<uint64_t>(static_cast<double>(sum)) | (inexact ? 1 : 0);
  return static_cast<float>(std::bit_cast<double>(bits));
}

float least(const Spelled& s, float a, float b) {
  if (a != a || b != b) {
    if (s.has(Mod::NaN) || (a != a && b != b)) return std::nanf("");
    return a != a ? b : a;
  }
  if (a == 0 && b == 0) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

/// The functions of a double, and how many units in the last place of an f32 the instruction may be off.
std::optional<double> function(std::string_view name, double x) {
  if (name == "rsqrt") return 1 / std::sqrt(x);
  if (name == "sin" || name == "cos") {
    // Hardware takes the angle in turns as an f32, toward zero, and not subnormal.
    volatile float angle = static_cast<float>(x), turn = 0x1.45f306p-3f;
    std::fesetround(FE_TOWARDZERO);
    volatile float turns = angle * turn;
    std::fesetround(FE_TONEAREST);
    if (std::fabs(turns) < 0x1p-126f) turns = std::copysign(0.0f, turns);
    double rest = std::remainder(static_cast<double>(turns), 1.0);
    if (rest == 0) rest = std::copysign(0.0, turns);
    int quarter = 0;
    rest = std::remquo(rest, 0.25, &quarter) * 6.283185307179586476925;
    if (name == "cos") ++quarter;
    double value = (quarter & 1) != 0 ? std::cos(rest) : std::sin(rest);
    return (quarter & 2) != 0 ? -value : value;
  }
  if (name == "lg2") return std::log2(x);
  if (name == "ex2") return std::exp2(x);
  if (name == "tanh") return std::tanh(x);
  return std::nullopt;
}

bool in_class(const Spelled& s, float x) {
  int c = std::fpclassify(x);
  if (s.has(Mod::Finite)) return c != FP_NAN && c != FP_INFINITE;
  if (s.has(Mod::Infinite)) return c == FP_INFINITE;
  if (s.has(Mod::Number)) return c != FP_NAN;
  if (s.has(Mod::NotANumber)) return c == FP_NAN;
  return s.has(Mod::Normal) ? c == FP_NORMAL || c == FP_ZERO : c == FP_SUBNORMAL;
}

float quotient(const Spelled& s, float a, float b) {
  bool directed = s.has(Mod::Rn) || s.has(Mod::Rz) || s.has(Mod::Rm) || s.has(Mod::Rp);
  // PTX ISA 9.7.3.8, div.approx: for 2^126 < |b| < 2^128 the result is 0, NaN if a is infinite.
  if (!directed && !s.has(Mod::Full) && std::fabs(b) > 0x1p126f && std::isfinite(b))
    return std::isfinite(a) ? std::copysign(0.0f, a) * std::copysign(1.0f, b) : std::nanf("");
  volatile float x = a, y = b;
  return rounded_or_zero(
      s, [&] { return x / y; }, [&] { return (x * 0x1p24f) / y; });
}

}  // namespace

std::optional<Result> float_reference(const Spelled& s, Sources v) {
  if (s.type != Type::F32) return std::nullopt;
  auto is = [&](std::string_view name) { return s.name == name; };
  if (is("copysign")) return Result{(v[1] & 0x7fffffff) | (v[0] & 0x80000000)};
  if (is("testp")) return Result{in_class(s, to_f32(v[0])) ? 1u : 0u};

  volatile float a = to_f32(flushed(s, v[0]));
  volatile float b = v.size() > 1 ? to_f32(flushed(s, v[1])) : 0;
  volatile float c = v.size() > 2 ? to_f32(flushed(s, v[2])) : 0;
  auto done = [&s](float x, uint32_t ulps = 0) { return finished(s, from_f32(x), ulps); };
  bool any_rounding = !(s.mods & ptx::kRounding).empty();

  if (is("add")) return done(rounded(s, [&] { return a + b; }));
  if (is("sub")) return done(rounded(s, [&] { return a - b; }));
  if (is("mul"))
    return done(rounded_or_zero(
        s, [&] { return a * b; }, [&] { return (a * 0x1p24f) * b; }));
  if (is("mad") && s.legacy && !any_rounding) return done(truncating_mad(s, a, b, c));
  if (is("fma") || is("mad"))
    return done(rounded_or_zero(
        s, [&] { return std::fma(a, b, c); }, [&] { return std::fma(a * 0x1p24f, b, c * 0x1p24f); }));
  if (is("div")) return done(quotient(s, a, b));
  if (is("rcp")) {
    volatile float one = 1;
    return done(rounded_or_zero(
        s, [&] { return one / a; }, [&] { return 0x1p24f / a; }));
  }
  if (is("sqrt")) return done(rounded(s, [&] { return std::sqrt(a); }));
  if (is("abs")) return done(std::fabs(a));
  if (is("neg")) return done(-a);
  if (is("min") || is("max")) {
    bool signs = s.has(Mod::XorSign), negative = signs && ((v[0] ^ v[1]) >> 31 & 1) != 0;
    float x = signs ? std::fabs(a) : a, y = signs ? std::fabs(b) : b;
    float result = is("min") ? least(s, x, y) : -least(s, -x, -y);
    return done(negative ? -result : result);
  }
  if (auto x = function(s.name, a)) return done(static_cast<float>(*x), 1);
  return std::nullopt;
}

}  // namespace warptime::sim
