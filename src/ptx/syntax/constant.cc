// Literals: decimal, octal (0...), hexadecimal (0x...), binary (0b...) integers with an optional U; decimal floats; bit
// patterns of f32 (0f + 8 digits) and f64 (0d + 16 digits).
#include "ptx/syntax/constant.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>

namespace warptime::ptx {

namespace {

std::optional<Constant> parse_bits(std::string_view digits, size_t count, Constant::Kind kind, std::string* why) {
  uint64_t bits = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits, 16);
  if (digits.size() == count && error == std::errc() && end == digits.data() + digits.size())
    return Constant{kind, bits};
  *why = fmt::format("needs {} hexadecimal digits after 0{}", count, kind == Constant::Kind::Single ? 'f' : 'd');
  return std::nullopt;
}

std::optional<Constant> parse_integer(std::string_view digits, int base, bool is_unsigned, std::string_view base_name,
                                      std::string* why) {
  uint64_t value = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error == std::errc::result_out_of_range) {
    *why = "does not fit in 64 bits";
    return std::nullopt;
  }
  if (error != std::errc() || end != digits.data() + digits.size()) {
    *why = fmt::format("is not {} number", base_name);
    return std::nullopt;
  }
  bool large = value > static_cast<uint64_t>(INT64_MAX);
  return Constant{is_unsigned || large ? Constant::Kind::Unsigned : Constant::Kind::Signed, value};
}

uint64_t mask_of(uint32_t width) { return width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1; }

Converted refuse(std::string why) { return {0, false, false, std::move(why)}; }

}  // namespace

Constant Constant::of(double value) { return {Kind::Double, std::bit_cast<uint64_t>(value)}; }

double Constant::as_double() const {
  switch (kind) {
    case Kind::Signed: return static_cast<double>(static_cast<int64_t>(bits));
    case Kind::Unsigned: return static_cast<double>(bits);
    case Kind::Single: return std::bit_cast<float>(static_cast<uint32_t>(bits));
    case Kind::Double: return std::bit_cast<double>(bits);
  }
  return 0;
}

std::optional<Constant> parse_literal(std::string_view text, std::string* why) {
  char second = text.size() > 1 && text[0] == '0' ? text[1] : '\0';
  if (second == 'f' || second == 'F') return parse_bits(text.substr(2), 8, Constant::Kind::Single, why);
  if (second == 'd' || second == 'D') return parse_bits(text.substr(2), 16, Constant::Kind::Double, why);
  bool hexadecimal = second == 'x' || second == 'X';
  if (!hexadecimal && text.find_first_of(".eE") != std::string_view::npos) {
    double value = 0;
    if (text.back() == '.') text.remove_suffix(1);  // "1." is legal PTX
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc::result_out_of_range) *why = "is beyond the range of f64";
    else if (error != std::errc() || end != text.data() + text.size()) *why = "is not a number";
    else return Constant::of(value);
    return std::nullopt;
  }
  bool is_unsigned = text.back() == 'U';
  if (is_unsigned) text.remove_suffix(1);
  if (hexadecimal) return parse_integer(text.substr(2), 16, is_unsigned, "a hexadecimal", why);
  if (second == 'b' || second == 'B') return parse_integer(text.substr(2), 2, is_unsigned, "a binary", why);
  if (text.size() > 1 && text[0] == '0') return parse_integer(text.substr(1), 8, is_unsigned, "an octal", why);
  return parse_integer(text, 10, is_unsigned, "a decimal", why);
}

Converted convert(Constant constant, Type type) {
  const TypeInfo& to = info(type);
  Converted out{0, true, false, {}};
  if (is_half(type))  // no literal is one, not even as an integer (PTX ISA 4.5.2)
    return refuse(fmt::format("cannot be a .{}: move its bits to a .b{} register", to.name, to.bits));
  if (!is_declared(type)) return refuse(fmt::format("cannot be a .{}", to.name));
  switch (to.kind) {
    case TypeKind::Element: return refuse(fmt::format("cannot be a .{}", to.name));
    case TypeKind::Predicate:
      if (!constant.is_integer()) return refuse("is not a value of a predicate");
      out.bits = constant.bits != 0;
      return out;
    case TypeKind::Unsigned:
    case TypeKind::Signed:
    case TypeKind::Bits:
    case TypeKind::Packed: {
      if (!constant.is_integer()) {
        uint32_t width = constant.kind == Constant::Kind::Single ? 32 : 64;
        if (to.kind != TypeKind::Bits || width != to.bits)
          return refuse(fmt::format("is a floating-point literal where .{} is needed", to.name));
        out.bits = constant.bits;
        return out;
      }
      out.bits = constant.bits & mask_of(to.bits);
      if (to.bits < 64) {
        auto value = static_cast<int64_t>(constant.bits);
        bool fits = constant.kind == Constant::Kind::Signed && value < 0 ? value >= -(int64_t{1} << (to.bits - 1))
                                                                         : constant.bits <= mask_of(to.bits);
        out.truncated = !fits;
      }
      return out;
    }
    case TypeKind::Float:
      if (constant.is_integer()) return refuse(fmt::format("is an integer literal where .{} is needed", to.name));
      if (type == Type::F64) {
        out.bits = std::bit_cast<uint64_t>(constant.as_double());
      } else if (type == Type::F32) {
        out.bits = constant.kind == Constant::Kind::Single
                       ? constant.bits
                       : std::bit_cast<uint32_t>(static_cast<float>(constant.as_double()));
      } else {
        return refuse(fmt::format("cannot be a .{}", to.name));
      }
      return out;
  }
  return out;
}

}  // namespace warptime::ptx
