// Kinds of characters in texts that a program reads. <cctype> answers by the locale of the host program, these do not.
#pragma once

namespace warptime::ascii {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_letter_or_digit(char c) { return is_letter(c) || is_digit(c); }

}  // namespace warptime::ascii
