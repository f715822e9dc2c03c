#include "base/parse_number.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace warptime {

namespace {

NumberError result_of(std::from_chars_result result, const char* end) {
  if (result.ec == std::errc::invalid_argument || result.ptr != end) return NumberError::NotANumber;
  if (result.ec == std::errc::result_out_of_range) return NumberError::TooLarge;
  return NumberError::Ok;
}

}  // namespace

NumberError parse_number(std::string_view text, uint64_t& value) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  }
  uint64_t parsed = 0;
  NumberError error =
      result_of(std::from_chars(text.data(), text.data() + text.size(), parsed, base), text.data() + text.size());
  if (error == NumberError::Ok) value = parsed;
  return error;
}

NumberError parse_number(std::string_view text, int64_t& value) {
  bool negative = text.starts_with('-');
  uint64_t magnitude = 0;
  NumberError error = parse_number(negative ? text.substr(1) : text, magnitude);
  if (error != NumberError::Ok) return error;
  uint64_t limit = static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) + (negative ? 1 : 0);
  if (magnitude > limit) return NumberError::TooLarge;
  value = static_cast<int64_t>(negative ? 0 - magnitude : magnitude);
  return NumberError::Ok;
}

NumberError parse_number(std::string_view text, uint32_t& value) {
  uint64_t wide = 0;
  NumberError error = parse_number(text, wide);
  if (error != NumberError::Ok) return error;
  if (wide > std::numeric_limits<uint32_t>::max()) return NumberError::TooLarge;
  value = static_cast<uint32_t>(wide);
  return NumberError::Ok;
}

NumberError parse_number(std::string_view text, double& value) {
  double parsed = 0;
  NumberError error =
      result_of(std::from_chars(text.data(), text.data() + text.size(), parsed), text.data() + text.size());
  if (error != NumberError::Ok) return error;
  if (!std::isfinite(parsed)) return NumberError::NotANumber;  // "inf", "nan"
  value = parsed;
  return NumberError::Ok;
}

}  // namespace warptime
