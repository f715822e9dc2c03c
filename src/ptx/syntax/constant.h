// Constants of PTX (PTX ISA 9.0, 4.5): 64-bit integers and floating-point values, literals in every form, and the
// conversion to the type of the instruction or variable that uses one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ptx/isa/types.h"

namespace warptime::ptx {

struct Constant {
  enum class Kind : uint8_t {
    Signed,
    Unsigned,  // U suffix, or does not fit in 63 bits
    Single,    // 0fXXXXXXXX: `bits` are the 32 bits
    Double,    // decimal or 0dXXXXXXXXXXXXXXXX: `bits` are the 64 bits
  };
  Kind kind = Kind::Signed;
  uint64_t bits = 0;

  static Constant of(int64_t value) { return {Kind::Signed, static_cast<uint64_t>(value)}; }
  static Constant of(double value);
  bool is_integer() const { return kind == Kind::Signed || kind == Kind::Unsigned; }
  double as_double() const;
};

/// The value of a number token; nullopt: `why` says what is wrong with it ("is not a hexadecimal number", ...).
std::optional<Constant> parse_literal(std::string_view text, std::string* why);

/// A constant as the bits of `type`, masked to its width.
struct Converted {
  uint64_t bits = 0;
  bool ok = false;
  bool truncated = false;  // an integer whose value the type cannot hold, signed or unsigned
  std::string why;         // if not ok: the sentence that goes after the literal
};
Converted convert(Constant constant, Type type);

}  // namespace warptime::ptx
