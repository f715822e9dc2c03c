// Numbers as C's printf writes them, whatever the locale of the host program is: with "." and without groups of digits.
// Digits of floating-point numbers are exact, rounded to nearest, ties to even, as the C library's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace warptime::sim {

/// What stands between the '%' and the letter.
struct PrintfSpecification {
  std::string_view flags;  // of "-+ #0"
  int64_t width = 0;
  int64_t precision = -1;  // -1: none

  bool has(char flag) const { return flags.find(flag) != std::string_view::npos; }
};

/// %d, %i.
void append_signed(const PrintfSpecification& specification, int64_t value, std::string& out);
/// `type`: u, o, x or X.
void append_unsigned(const PrintfSpecification& specification, char type, uint64_t value, std::string& out);
/// `type`: f, e, g or a, or their capitals.
void append_floating(const PrintfSpecification& specification, char type, double value, std::string& out);

}  // namespace warptime::sim
