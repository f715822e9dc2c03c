// A value of the simulated program with its PTX type, and its text.
#pragma once

#include <cstdint>
#include <string>

#include "ptx/isa/types.h"

namespace warptime::debug {

struct Value {
  ptx::Type type = ptx::Type::S64;
  uint64_t bits = 0;  // in the width of the type; a predicate is 0 or 1

  static Value of(int64_t number) { return {ptx::Type::S64, static_cast<uint64_t>(number)}; }
  static Value of(double number);

  bool is_float() const;
  int64_t as_integer() const;  // bits types are unsigned; of a float, without its fraction
  double as_double() const;
  bool is_true() const { return is_float() ? as_double() != 0 : as_integer() != 0; }
};

/// `format` is a letter of gdb: x hexadecimal, d signed, u unsigned, o octal, t binary, f float, c character,
/// a address; 0: as the type is.
std::string format_value(const Value& value, char format = 0);
inline constexpr const char* kFormats = "xduotfca";

}  // namespace warptime::debug
