// What our code needs of the C++20 library and Emscripten 3.1.6's lacks. The build for WebAssembly includes this file
// before every other; with a newer library it is empty.
#pragma once

#include <version>

#if defined(__cplusplus) && defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 14000

#include <bit>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace std {

template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}

namespace warptime_libcxx {

inline void read(const char* text, float& value) { value = strtof(text, nullptr); }
inline void read(const char* text, double& value) { value = strtod(text, nullptr); }

/// Decimal numbers: the C library's rounding is exact, and there is one locale only. What strtod takes and from_chars
/// does not, it never sees: white space, a plus sign, hexadecimal digits.
template <class T>
from_chars_result from_decimal(const char* first, const char* last, T& value) {
  const char* digits = first != last && *first == '-' ? first + 1 : first;
  const char* end = digits;
  auto skip_digits = [&] {
    const char* begin = end;
    while (end != last && *end >= '0' && *end <= '9') ++end;
    return end - begin;
  };
  auto count = skip_digits();
  if (end != last && *end == '.') {
    ++end;
    count += skip_digits();
  }
  if (count == 0) {
    const string word(digits, digits + (last - digits < 3 ? last - digits : 3));
    if (word != "inf" && word != "nan") return {first, errc::invalid_argument};
    end = digits + 3;
  } else if (end != last && (*end == 'e' || *end == 'E')) {
    const char* before = end++;
    if (end != last && (*end == '-' || *end == '+')) ++end;
    if (skip_digits() == 0) end = before;
  }
  const string number(first, end);
  T found;
  read(number.c_str(), found);
  const bool is_zero = number.substr(0, number.find_first_of("eE")).find_first_of("123456789") == string::npos;
  const bool is_infinite = found == __builtin_inf() || found == -__builtin_inf();
  if (count != 0 && (is_infinite || (found == 0 && !is_zero))) return {end, errc::result_out_of_range};
  value = found;
  return {end, errc()};
}

}  // namespace warptime_libcxx

inline from_chars_result from_chars(const char* first, const char* last, double& value,
                                    chars_format = chars_format::general) {
  return warptime_libcxx::from_decimal(first, last, value);
}

inline from_chars_result from_chars(const char* first, const char* last, float& value,
                                    chars_format = chars_format::general) {
  return warptime_libcxx::from_decimal(first, last, value);
}

inline to_chars_result to_chars(char* first, char* last, double value, chars_format format, int precision) {
  const int length = snprintf(first, static_cast<size_t>(last - first), format == chars_format::fixed ? "%.*f" : "%.*e",
                              precision, value);
  // Its final zero has no place in the result.
  if (length < 0 || length >= last - first) return {last, errc::value_too_large};
  return {first + length, errc()};
}

}  // namespace std

#endif
