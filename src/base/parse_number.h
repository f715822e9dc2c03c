// Parses numbers of users (YAML values, options): the whole text must be the number. "12abc", "1 2", "" and, for a
// whole number, "1e3" are errors; no value is clamped or rounded.
#pragma once

#include <cstdint>
#include <string_view>

namespace warptime {

/// Why a text is not a number of the wanted type; `Ok` is 0.
enum class NumberError : uint8_t { Ok, NotANumber, TooLarge };

/// Decimal, or hexadecimal after "0x". The signed form takes a leading '-'.
NumberError parse_number(std::string_view text, uint64_t& value);
NumberError parse_number(std::string_view text, int64_t& value);
NumberError parse_number(std::string_view text, uint32_t& value);
/// Decimal with optional fraction and exponent; finite.
NumberError parse_number(std::string_view text, double& value);

}  // namespace warptime
