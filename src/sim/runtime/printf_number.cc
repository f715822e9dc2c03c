#include "sim/runtime/printf_number.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

#include "base/assert.h"

namespace warptime::sim {

namespace {

constexpr int kFractionBits = 52, kHexFraction = kFractionBits / 4, kLeastExponent = -1022;  // of an IEEE 754 binary64

/// The number in the words of std::to_chars; `room` is enough for it.
template <class... Format>
std::string digits_of(size_t room, double value, Format... format) {
  std::string out(room, '\0');
  auto [end, error] = std::to_chars(out.data(), out.data() + out.size(), value, format...);
  SIM_ASSERT(error == std::errc(), "a number needs more than {} characters", room);
  out.resize(static_cast<size_t>(end - out.data()));
  return out;
}

/// "1.250e+02": %e; `precision` digits after the point.
std::string scientific(double value, int64_t precision) {
  return digits_of(static_cast<size_t>(precision) + 32, value, std::chars_format::scientific,
                   static_cast<int>(precision));
}

std::string fixed(double value, int64_t precision) {
  return digits_of(static_cast<size_t>(precision) + 330, value, std::chars_format::fixed, static_cast<int>(precision));
}

/// The point that '#' asks for, before an exponent if there is one.
void add_point(std::string& digits, char exponent) {
  if (digits.find('.') == std::string::npos) digits.insert(std::min(digits.find(exponent), digits.size()), 1, '.');
}

void drop_zeros(std::string& digits) {
  size_t end = std::min(digits.find('e'), digits.size());
  if (digits.find('.') == std::string::npos) return;
  size_t last = digits.find_last_not_of('0', end - 1);
  if (digits[last] == '.') --last;
  digits.erase(last + 1, end - last - 1);
}

std::string general(double value, int64_t precision, bool keep_zeros) {
  precision = precision < 0 ? 6 : std::max<int64_t>(precision, 1);
  std::string digits = scientific(value, precision - 1);
  int exponent = 0;
  const char* at = digits.data() + digits.rfind('e') + 1;
  std::from_chars(*at == '+' ? at + 1 : at, digits.data() + digits.size(), exponent);
  if (exponent >= -4 && exponent < precision) digits = fixed(value, precision - 1 - exponent);
  if (keep_zeros) add_point(digits, 'e');
  else drop_zeros(digits);
  return digits;
}

/// "1.8p+1", without the "0x". A subnormal number begins with 0, as the C library writes it.
std::string hexadecimal(double value, int64_t precision, bool keep_point) {
  auto bits = std::bit_cast<uint64_t>(value);
  uint64_t fraction = bits & ((uint64_t{1} << kFractionBits) - 1), lead = bits >> kFractionBits == 0 ? 0 : 1;
  int exponent = bits == 0 ? 0 : lead == 0 ? kLeastExponent : static_cast<int>(bits >> kFractionBits) - 1023;
  int64_t shown = precision < 0 ? kHexFraction : std::min<int64_t>(precision, kHexFraction);
  if (precision < 0)
    for (; shown > 0 && (fraction >> 4 * (kHexFraction - shown) & 15) == 0;) --shown;
  // To nearest, ties to even.
  uint64_t all = lead << kFractionBits | fraction;
  int dropped = static_cast<int>(4 * (kHexFraction - shown));
  if (dropped > 0) {
    uint64_t half = uint64_t{1} << (dropped - 1), rest = all & (2 * half - 1);
    all >>= dropped;
    if (rest > half || (rest == half && (all & 1) != 0)) ++all;
  }
  std::string out(1, static_cast<char>('0' + (all >> 4 * shown)));
  if (shown > 0 || precision > 0 || keep_point) out += '.';
  for (int64_t i = shown; i > 0; --i) out += "0123456789abcdef"[all >> 4 * (i - 1) & 15];
  if (precision > shown) out.append(static_cast<size_t>(precision - shown), '0');
  out += exponent < 0 ? "p-" : "p+";
  char text[8];
  auto [end, error] = std::to_chars(text, text + sizeof text, std::abs(exponent));
  return out.append(text, end);
}

/// The sign or prefix, the digits, and what fills the width.
void append_filled(const PrintfSpecification& specification, std::string_view before, std::string_view digits,
                   bool with_zeros, std::string& out) {
  size_t length = before.size() + digits.size(), width = static_cast<size_t>(specification.width);
  size_t missing = width > length ? width - length : 0;
  bool left = specification.has('-'), zeros = with_zeros && !left && specification.has('0');
  if (!left && !zeros) out.append(missing, ' ');
  out += before;
  if (zeros) out.append(missing, '0');
  out += digits;
  if (left) out.append(missing, ' ');
}

std::string sign_of(const PrintfSpecification& specification, bool negative) {
  return negative ? "-" : specification.has('+') ? "+" : specification.has(' ') ? " " : "";
}

std::string whole_digits(uint64_t value, int base, int64_t precision) {
  char text[24];
  auto [end, error] = std::to_chars(text, text + sizeof text, value, base);
  std::string digits(text, value == 0 && precision == 0 ? text : end);
  if (precision > static_cast<int64_t>(digits.size()))
    digits.insert(0, static_cast<size_t>(precision) - digits.size(), '0');
  return digits;
}

void to_capitals(std::string& text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
}

}  // namespace

void append_signed(const PrintfSpecification& specification, int64_t value, std::string& out) {
  uint64_t size = value < 0 ? ~static_cast<uint64_t>(value) + 1 : static_cast<uint64_t>(value);
  append_filled(specification, sign_of(specification, value < 0), whole_digits(size, 10, specification.precision),
                specification.precision < 0, out);
}

void append_unsigned(const PrintfSpecification& specification, char type, uint64_t value, std::string& out) {
  int base = type == 'o' ? 8 : type == 'u' ? 10 : 16;
  std::string digits = whole_digits(value, base, specification.precision), before;
  if (specification.has('#') && base == 8 && !digits.starts_with('0')) digits.insert(0, 1, '0');
  if (specification.has('#') && base == 16 && value != 0) before = "0x";
  if (type == 'X') to_capitals(digits), to_capitals(before);
  append_filled(specification, before, digits, specification.precision < 0, out);
}

void append_floating(const PrintfSpecification& specification, char type, double value, std::string& out) {
  char kind = type >= 'A' && type <= 'Z' ? static_cast<char>(type - 'A' + 'a') : type;
  std::string before = sign_of(specification, std::signbit(value)), digits;
  double size = std::fabs(value);
  int64_t precision = specification.precision < 0 ? 6 : specification.precision;
  bool point = specification.has('#');
  if (!std::isfinite(value)) {
    digits = std::isnan(value) ? "nan" : "inf";
  } else if (kind == 'a') {
    before += "0x";
    digits = hexadecimal(size, specification.precision, point);
  } else if (kind == 'g') {
    digits = general(size, specification.precision, point);
  } else {
    digits = kind == 'e' ? scientific(size, precision) : fixed(size, precision);
    if (point) add_point(digits, 'e');
  }
  if (kind != type) to_capitals(digits), to_capitals(before);
  append_filled(specification, before, digits, std::isfinite(value), out);
}

}  // namespace warptime::sim
