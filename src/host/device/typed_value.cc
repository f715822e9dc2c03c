#include "host/device/typed_value.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/assert.h"
#include "base/parse_number.h"

namespace warptime::host {

using ptx::Type;
using ptx::TypeKind;

const std::vector<std::string_view>& value_type_names() {
  static const std::vector<std::string_view> names{"u8",  "s8",  "b8",  "u16", "s16", "b16", "f16", "u32",
                                                   "s32", "b32", "f32", "u64", "s64", "b64", "f64"};
  return names;
}

std::optional<Type> value_type(std::string_view name) {
  for (std::string_view known : value_type_names())
    if (known == name) return ptx::type_named(name);
  return std::nullopt;
}

namespace {

uint64_t mask_of(Type type) { return ptx::bits(type) == 64 ? ~uint64_t{0} : (uint64_t{1} << ptx::bits(type)) - 1; }

bool is_float(Type type) { return ptx::info(type).kind == TypeKind::Float; }

// IEEE 754 binary16, rounded to nearest even. `double` to half in one rounding: halves are multiples of 2^-24.
uint16_t half_from_double(double value) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return 0x7fff;
  double magnitude = std::fabs(value);
  if (magnitude >= 65520) return sign | 0x7c00;
  int exponent = -14;
  if (magnitude >= 0x1p-14) exponent = std::ilogb(magnitude);
  // The significand in units of the last place, 10 bits after the point; nearbyint rounds to even.
  auto units = static_cast<uint32_t>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  // A subnormal has units < 1024 and exponent field 0; a carry out of the significand moves into the exponent.
  return static_cast<uint16_t>(sign + ((exponent + 14) << 10) + units);
}

double double_from_half(uint16_t bits) {
  int exponent = (bits >> 10) & 31;
  int significand = bits & 1023;
  double value = 0;
  if (exponent == 31) {
    value = significand != 0 ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  } else {
    value = exponent == 0 ? std::ldexp(significand, -24) : std::ldexp(significand + 1024, exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -value : value;
}

std::optional<uint64_t> parse_bits(std::string_view digits, Type type, std::string* why) {
  uint64_t bits = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits, 16);
  if (error == std::errc() && end == digits.data() + digits.size() && digits.size() * 4 == ptx::bits(type)) return bits;
  *why = fmt::format("the bits of an {} are {} hexadecimal digits", ptx::name(type), ptx::bits(type) / 4);
  return std::nullopt;
}

std::optional<uint64_t> parse_float(Type type, std::string_view text, std::string* why) {
  std::string_view digits = text;
  bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  if (digits == ".inf") digits = "inf";
  if (digits == ".nan") digits = "nan";
  if (digits.size() > 2 && digits == text && (digits.starts_with("0f") || digits.starts_with("0d"))) {
    if ((digits[1] == 'f') == (type == Type::F32)) return parse_bits(digits.substr(2), type, why);
  }
  auto parse = [&](auto& value) {
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (digits.starts_with('-') || digits.starts_with('+') || end != digits.data() + digits.size() || digits.empty() ||
        error == std::errc::invalid_argument) {
      *why = "not a number";
      return false;
    }
    if (error == std::errc::result_out_of_range) {
      *why = fmt::format("out of the range of {}", ptx::name(type));
      return false;
    }
    if (negative) value = -value;
    return true;
  };
  // An f32 is read as such: going through double would round twice.
  if (type == Type::F32) {
    float value = 0;
    if (!parse(value)) return std::nullopt;
    return std::bit_cast<uint32_t>(value);
  }
  double value = 0;
  if (!parse(value)) return std::nullopt;
  if (type == Type::F16 && std::isfinite(value) && std::fabs(value) >= 65520) {
    *why = "out of the range of f16";
    return std::nullopt;
  }
  return encode_value(type, value);
}

std::optional<uint64_t> parse_integer(Type type, std::string_view text, std::string* why) {
  std::string_view digits = text;
  bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  uint64_t magnitude = 0;
  NumberError error = parse_number(digits, magnitude);
  if (error == NumberError::NotANumber) {
    *why = "not a whole number";
    return std::nullopt;
  }
  TypeKind kind = ptx::info(type).kind;
  uint64_t highest = kind == TypeKind::Signed ? mask_of(type) >> 1 : mask_of(type);
  uint64_t lowest = kind == TypeKind::Unsigned ? 0 : (mask_of(type) >> 1) + 1;  // as a magnitude
  if (error == NumberError::TooLarge || magnitude > (negative ? lowest : highest)) {
    *why = fmt::format("out of the range of {}: {}{} to {}", ptx::name(type), lowest != 0 ? "-" : "", lowest, highest);
    return std::nullopt;
  }
  return (negative ? ~magnitude + 1 : magnitude) & mask_of(type);
}

}  // namespace

std::optional<uint64_t> parse_value(Type type, std::string_view text, std::string* why) {
  return is_float(type) ? parse_float(type, text, why) : parse_integer(type, text, why);
}

uint64_t encode_value(Type type, double value) {
  if (type == Type::F64) return std::bit_cast<uint64_t>(value);
  if (type == Type::F32) return std::bit_cast<uint32_t>(static_cast<float>(value));
  if (type == Type::F16) return half_from_double(value);
  SIM_ASSERT(!is_float(type), "no encoding for {}", ptx::name(type));
  if (!std::isfinite(value)) return 0;
  // Truncated modulo 2^64, which every narrower type wraps to.
  double whole = std::fmod(std::trunc(value), 0x1p64);
  auto magnitude = static_cast<uint64_t>(std::fabs(whole));
  return (whole < 0 ? ~magnitude + 1 : magnitude) & mask_of(type);
}

double decode_value(Type type, uint64_t bits) {
  if (type == Type::F64) return std::bit_cast<double>(bits);
  if (type == Type::F32) return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  if (type == Type::F16) return double_from_half(static_cast<uint16_t>(bits));
  SIM_ASSERT(!is_float(type), "no decoding for {}", ptx::name(type));
  uint64_t sign = (mask_of(type) >> 1) + 1;
  if (ptx::info(type).kind == TypeKind::Signed && (bits & sign) != 0)
    return -static_cast<double>((~bits + 1) & mask_of(type));
  return static_cast<double>(bits & mask_of(type));
}

uint64_t load_element(Type type, std::span<const std::byte> bytes, uint64_t index) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + index * ptx::bytes(type), ptx::bytes(type));
  return bits;
}

void store_element(Type type, std::span<std::byte> bytes, uint64_t index, uint64_t bits) {
  std::memcpy(bytes.data() + index * ptx::bytes(type), &bits, ptx::bytes(type));
}

std::partial_ordering order_of(Type type, uint64_t a, uint64_t b) {
  if (is_float(type)) return decode_value(type, a) <=> decode_value(type, b);
  const uint64_t sign = ptx::info(type).kind == TypeKind::Signed ? (mask_of(type) >> 1) + 1 : 0;
  return ((a & mask_of(type)) ^ sign) <=>
         ((b & mask_of(type)) ^ sign);  // with the sign's bit inverted, as unsigned ones
}

uint64_t ulp_distance(Type type, uint64_t a, uint64_t b) {
  constexpr uint64_t kFarthest = std::numeric_limits<uint64_t>::max();
  uint64_t sign = (mask_of(type) >> 1) + 1;
  if (is_float(type)) {
    bool a_nan = std::isnan(decode_value(type, a)), b_nan = std::isnan(decode_value(type, b));
    if (a_nan || b_nan) return a_nan && b_nan ? 0 : kFarthest;
    // Sign and magnitude to a line on which neighbours differ by one and -0 is +0.
    auto line = [&](uint64_t bits) { return (bits & sign) != 0 ? sign - (bits & ~sign) : sign + bits; };
    a = line(a);
    b = line(b);
  } else if (ptx::info(type).kind == TypeKind::Signed) {
    a ^= sign;
    b ^= sign;
  }
  return a > b ? a - b : b - a;
}

}  // namespace warptime::host
