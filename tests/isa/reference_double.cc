// f64 arithmetic, with the host's own rounding modes. Of a NaN's bits: those of an operand made quiet (of two operands
// b first, for div a; fma b, c, a), or 0xfff8000000000000 for an invalid operation, as an H200 gives them.
#include <cfenv>
#include <cmath>

#include "reference.h"

namespace warptime::sim {

using ptx::Mod, ptx::Type;

namespace {

constexpr uint64_t kSign = uint64_t{1} << 63, kQuiet = uint64_t{1} << 51;

bool is_nan(uint64_t bits) { return (bits & ~kSign) > 0x7ff0000000000000; }

/// The number f() with the host rounding as the instruction says; a NaN is one of `operands` or an invalid operation's.
template <class F>
Result rounded(const Spelled& s, std::initializer_list<uint64_t> operands, const F& f) {
  std::fesetround(host_rounding(s));
  volatile double result = f();
  std::fesetround(FE_TONEAREST);
  if (result == result) return {from_f64(result)};
  for (uint64_t bits : operands)
    if (is_nan(bits)) return {bits | kQuiet};
  return {0xfff8000000000000};
}

uint64_t least(uint64_t a, uint64_t b) {
  if (is_nan(a)) return is_nan(b) ? b | kQuiet : b;
  if (is_nan(b)) return a;
  if (to_f64(a) == to_f64(b)) return (a & kSign) != 0 ? a : b;
  return to_f64(a) < to_f64(b) ? a : b;
}

/// rcp.approx.ftz.f64, rsqrt.approx.ftz.f64: of the operand's upper word, to the nearest value of one.
template <class F>
Result of_upper_word(uint64_t x, const F& f) {
  constexpr uint64_t kUpper = 0xffffffff00000000;
  auto flushed = [](uint64_t bits) { return (bits & ~kSign) < uint64_t{1} << 52 ? bits & kSign : bits; };
  uint64_t y = from_f64(f(to_f64(flushed(x & kUpper))));
  if (is_nan(y)) return {0x7fffffff00000000};
  return {flushed((y + 0x80000000) & kUpper)};
}

bool in_class(const Spelled& s, double x) {
  int c = std::fpclassify(x);
  if (s.has(Mod::Finite)) return c != FP_NAN && c != FP_INFINITE;
  if (s.has(Mod::Infinite)) return c == FP_INFINITE;
  if (s.has(Mod::Number)) return c != FP_NAN;
  if (s.has(Mod::NotANumber)) return c == FP_NAN;
  return s.has(Mod::Normal) ? c == FP_NORMAL || c == FP_ZERO : c == FP_SUBNORMAL;
}

}  // namespace

std::optional<Result> double_reference(const Spelled& s, Sources v) {
  if (s.type != Type::F64) return std::nullopt;
  auto is = [&](std::string_view name) { return s.name == name; };
  uint64_t x = v[0], y = v.size() > 1 ? v[1] : 0, z = v.size() > 2 ? v[2] : 0;
  volatile double a = to_f64(x), b = to_f64(y), c = to_f64(z), one = 1;

  if (is("add")) return rounded(s, {y, x}, [&] { return a + b; });
  if (is("sub")) return rounded(s, {y, x}, [&] { return a - b; });
  if (is("mul")) return rounded(s, {y, x}, [&] { return a * b; });
  if (is("fma") || is("mad")) return rounded(s, {y, z, x}, [&] { return std::fma(a, b, c); });
  if (is("div")) return rounded(s, {x, y}, [&] { return a / b; });
  if (is("rcp") && s.has(Mod::Ftz)) return of_upper_word(x, [](double u) { return 1 / u; });
  if (is("rsqrt") && s.has(Mod::Ftz)) return of_upper_word(x, [](double u) { return 1 / std::sqrt(u); });
  if (is("rsqrt")) return rounded(s, {x}, [&] { return one / std::sqrt(a); });
  if (is("rcp")) return rounded(s, {x}, [&] { return one / a; });
  if (is("sqrt")) return rounded(s, {x}, [&] { return std::sqrt(a); });
  if (is("abs")) return Result{is_nan(x) ? x | kQuiet : x & ~kSign};
  if (is("neg")) return Result{is_nan(x) ? x | kQuiet : x ^ kSign};
  if (is("min")) return Result{least(x, y)};
  if (is("max")) return Result{is_nan(x) && is_nan(y) ? y | kQuiet : least(x ^ kSign, y ^ kSign) ^ kSign};
  if (is("copysign")) return Result{(y & ~kSign) | (x & kSign)};
  if (is("testp")) return Result{in_class(s, a) ? 1u : 0u};
  return std::nullopt;
}

}  // namespace warptime::sim
