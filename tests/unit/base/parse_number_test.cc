#include "base/parse_number.h"

#include <catch2/catch.hpp>

using namespace warptime;

namespace {

template <class T>
NumberError error_of(std::string_view text) {
  T value{};
  return parse_number(text, value);
}
template <class T>
T value_of(std::string_view text) {
  T value{};
  REQUIRE(parse_number(text, value) == NumberError::Ok);
  return value;
}

}  // namespace

TEST_CASE("whole numbers: decimal and hexadecimal, the whole text or nothing") {
  CHECK(value_of<uint64_t>("0") == 0);
  CHECK(value_of<uint64_t>("007") == 7);
  CHECK(value_of<uint64_t>("0x1F") == 31);
  CHECK(value_of<uint64_t>("18446744073709551615") == ~uint64_t{0});
  CHECK(value_of<int64_t>("-9223372036854775808") == INT64_MIN);
  CHECK(value_of<uint32_t>("4294967295") == ~uint32_t{0});
  for (const char* bad : {"", " 1", "1 ", "12abc", "+1", "-1", "1.0", "1e3", "0x", "0x-1", "--1", "x"})
    CHECK(error_of<uint64_t>(bad) == NumberError::NotANumber);
  CHECK(error_of<int64_t>("--1") == NumberError::NotANumber);
  CHECK(error_of<int64_t>("-") == NumberError::NotANumber);
}

TEST_CASE("numbers that do not fit are too large, not cut") {
  CHECK(error_of<uint32_t>("4294967296") == NumberError::TooLarge);
  CHECK(error_of<uint64_t>("18446744073709551616") == NumberError::TooLarge);
  CHECK(error_of<int64_t>("9223372036854775808") == NumberError::TooLarge);
  CHECK(error_of<int64_t>("-9223372036854775809") == NumberError::TooLarge);
  CHECK(error_of<double>("1e999") == NumberError::TooLarge);
}

TEST_CASE("a value that cannot be read leaves the variable alone") {
  uint32_t value = 17;
  CHECK(parse_number("12abc", value) == NumberError::NotANumber);
  CHECK(value == 17);
}

TEST_CASE("numbers with fraction and exponent, no infinities") {
  CHECK(value_of<double>("1350") == 1350.0);
  CHECK(value_of<double>("-0.5e-3") == -0.0005);
  for (const char* bad : {"", "1.5x", "inf", "nan", "0x10", "1,5", " 1"})
    CHECK(error_of<double>(bad) == NumberError::NotANumber);
}
