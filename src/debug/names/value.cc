#include "debug/names/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace warptime::debug {

using ptx::Type, ptx::TypeKind;

namespace {

uint32_t width(Type type) { return type == Type::Pred ? 1 : std::min(64u, ptx::bits(type)); }

uint64_t low_bits(const Value& value) {
  uint32_t bits = width(value.type);
  return bits == 64 ? value.bits : value.bits & ((uint64_t{1} << bits) - 1);
}

/// The value of an IEEE number with this many bits of exponent and fraction.
double small_float(uint64_t bits, int exponent_bits, int fraction_bits) {
  auto exponent = static_cast<int>(bits >> fraction_bits) & ((1 << exponent_bits) - 1);
  auto fraction = static_cast<double>(bits & ((uint64_t{1} << fraction_bits) - 1));
  bool negative = ((bits >> (exponent_bits + fraction_bits)) & 1) != 0;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  double value = 0;
  if (exponent == (1 << exponent_bits) - 1)
    value = fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  else if (exponent == 0) value = std::ldexp(fraction, 1 - bias - fraction_bits);
  else value = std::ldexp(1 + std::ldexp(fraction, -fraction_bits), exponent - bias);
  return negative ? -value : value;
}

/// The bits as a float of their width.
double bits_as_float(Type type, uint64_t bits) {
  switch (width(type)) {
    case 64: return std::bit_cast<double>(bits);
    case 32: return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits)));
    case 16: return type == Type::BF16 ? small_float(bits, 8, 7) : small_float(bits, 5, 10);
    default: return static_cast<double>(bits);
  }
}

std::string float_text(Type type, uint64_t bits) {
  double value = bits_as_float(type, bits);
  if (std::isnan(value)) return fmt::format("{}nan(0x{:x})", std::signbit(value) ? "-" : "", bits);
  if (width(type) == 32) return fmt::format("{}", std::bit_cast<float>(static_cast<uint32_t>(bits)));
  return fmt::format("{}", value);
}

std::string packed_text(const Value& value) {
  Type element = ptx::half_element(value.type);
  return fmt::format("{{{}, {}}}", float_text(element, value.bits & 0xffff), float_text(element, value.bits >> 16));
}

}  // namespace

Value Value::of(double number) { return {Type::F64, std::bit_cast<uint64_t>(number)}; }

bool Value::is_float() const { return ptx::info(type).kind == TypeKind::Float; }

int64_t Value::as_integer() const {
  if (is_float()) {
    double number = as_double();
    if (std::isnan(number)) return 0;
    if (number >= 9.2e18) return std::numeric_limits<int64_t>::max();
    return number <= -9.2e18 ? std::numeric_limits<int64_t>::min() : static_cast<int64_t>(number);
  }
  uint64_t value = low_bits(*this);
  if (ptx::info(type).kind != TypeKind::Signed) return static_cast<int64_t>(value);
  uint32_t unused = 64 - width(type);
  return static_cast<int64_t>(value << unused) >> unused;
}

double Value::as_double() const {
  return is_float() ? bits_as_float(type, low_bits(*this)) : static_cast<double>(as_integer());
}

std::string format_value(const Value& value, char format) {
  const uint64_t bits = low_bits(value);
  switch (format) {
    case 'x':
    case 'a': return fmt::format("0x{:x}", bits);
    case 'o': return fmt::format("0{:o}", bits);
    case 't': return fmt::format("{:b}", bits);
    case 'u': return fmt::format("{}", bits);
    case 'd': {
      uint32_t unused = 64 - width(value.type);
      if (value.is_float()) return fmt::format("{}", value.as_integer());
      return fmt::format("{}", static_cast<int64_t>(bits << unused) >> unused);
    }
    case 'c': {
      auto c = static_cast<unsigned char>(bits);
      return c >= 0x20 && c < 0x7f ? fmt::format("{} '{}'", c, static_cast<char>(c)) : fmt::format("{}", c);
    }
    case 'f': return float_text(value.type, bits);
    default: break;
  }
  if (value.type == Type::None) return "void";
  switch (ptx::info(value.type).kind) {
    case TypeKind::Predicate: return bits != 0 ? "true" : "false";
    case TypeKind::Float: return float_text(value.type, bits);
    case TypeKind::Packed: return packed_text(value);
    case TypeKind::Signed: return fmt::format("{}", value.as_integer());
    case TypeKind::Unsigned:
    case TypeKind::Element:
    case TypeKind::Bits: return fmt::format("{}", bits);
  }
  return {};
}

}  // namespace warptime::debug
