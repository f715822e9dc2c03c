#include "host/device/typed_value.h"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

namespace warptime::host {

using ptx::Type;

namespace {

uint64_t good(Type type, std::string_view text) {
  std::string why;
  auto bits = parse_value(type, text, &why);
  INFO(text << ": " << why);
  REQUIRE(bits.has_value());
  return *bits;
}

std::string bad(Type type, std::string_view text) {
  std::string why;
  INFO(text);
  REQUIRE_FALSE(parse_value(type, text, &why).has_value());
  return why;
}

}  // namespace

TEST_CASE("Integers: decimal, hexadecimal, signed, at the ends of their range") {
  CHECK(good(Type::U32, "4294967295") == 0xffffffff);
  CHECK(good(Type::S32, "-2147483648") == 0x80000000);
  CHECK(good(Type::S32, "+7") == 7);
  CHECK(good(Type::U8, "0xff") == 0xff);
  CHECK(good(Type::S8, "-1") == 0xff);
  CHECK(good(Type::U64, "18446744073709551615") == ~uint64_t{0});
  CHECK(good(Type::S64, "-9223372036854775808") == uint64_t{1} << 63);
  // Untyped bits take what fits signed or unsigned.
  CHECK(good(Type::B16, "-32768") == 0x8000);
  CHECK(good(Type::B16, "65535") == 0xffff);
}

TEST_CASE("Integers out of range or with trailing text are refused") {
  CHECK(bad(Type::U8, "256") == "out of the range of u8: 0 to 255");
  CHECK(bad(Type::S8, "128") == "out of the range of s8: -128 to 127");
  CHECK(bad(Type::S8, "-129") == "out of the range of s8: -128 to 127");
  CHECK(bad(Type::U32, "-1") == "out of the range of u32: 0 to 4294967295");
  CHECK(bad(Type::U64, "18446744073709551616").starts_with("out of the range"));
  for (const char* text : {"", "-", "12abc", "1.5", "0x", "--1", " 1", "1e3"})
    CHECK(bad(Type::U32, text) == "not a whole number");
}

TEST_CASE("Floats: decimal, special values, and bits as PTX writes them") {
  CHECK(good(Type::F32, "1") == 0x3f800000);
  CHECK(good(Type::F32, "-2.5e0") == 0xc0200000);
  CHECK(good(Type::F32, "-.inf") == 0xff800000);
  CHECK(good(Type::F32, "0f3F800001") == 0x3f800001);
  CHECK(good(Type::F64, "0d3ff0000000000000") == 0x3ff0000000000000);
  CHECK(std::isnan(decode_value(Type::F32, good(Type::F32, "nan"))));
  // 1 + 2^-24 + 2^-60 is above the midpoint of two floats; through double it would be exactly on it and round down.
  CHECK(good(Type::F32, "1.0000000596046447762") == 0x3f800001);
  CHECK(bad(Type::F32, "1e39") == "out of the range of f32");
  CHECK(bad(Type::F32, "0f3f80") == "the bits of an f32 are 8 hexadecimal digits");
  for (const char* text : {"", "-", "1.5f", "--1", "+-1", "zero"}) CHECK(bad(Type::F32, text) == "not a number");
}

TEST_CASE("Half precision rounds to nearest even and knows its subnormals") {
  CHECK(encode_value(Type::F16, 1.0) == 0x3c00);
  CHECK(encode_value(Type::F16, -2.0) == 0xc000);
  CHECK(encode_value(Type::F16, 65504) == 0x7bff);
  CHECK(encode_value(Type::F16, 65519) == 0x7bff);
  CHECK(encode_value(Type::F16, 65520) == 0x7c00);
  CHECK(encode_value(Type::F16, 0x1p-24) == 1);
  CHECK(encode_value(Type::F16, 0x1p-25) == 0);           // a tie goes to even
  CHECK(encode_value(Type::F16, 0x1.8p-24) == 2);         // so does this one
  CHECK(encode_value(Type::F16, 0x1.ff8p-15) == 0x3ff);   // 1023 x 2^-24, the largest subnormal
  CHECK(encode_value(Type::F16, 0x1.ffcp-15) == 0x400);   // half a step more: a tie, to the smallest normal
  CHECK(encode_value(Type::F16, 1 + 0x1p-11) == 0x3c00);  // tie between 1 and 1 + 2^-10
  CHECK(encode_value(Type::F16, 1 + 0x1.8p-10) == 0x3c02);
  for (uint64_t bits = 0; bits < 0x7c00; ++bits) {
    if (encode_value(Type::F16, decode_value(Type::F16, bits)) != bits) FAIL("half " << bits << " does not come back");
  }
}

TEST_CASE("Values wrap when encoded as integers, and come back signed") {
  CHECK(encode_value(Type::U8, 257.9) == 1);
  CHECK(encode_value(Type::S16, -1.5) == 0xffff);
  CHECK(decode_value(Type::S16, 0xffff) == -1);
  CHECK(decode_value(Type::U16, 0xffff) == 65535);
  CHECK(decode_value(Type::S64, uint64_t{1} << 63) == -0x1p63);
}

TEST_CASE("Distance in units in the last place") {
  auto f = [](float v) { return uint64_t{std::bit_cast<uint32_t>(v)}; };
  CHECK(ulp_distance(Type::F32, f(1.0f), f(std::nextafter(1.0f, 2.0f))) == 1);
  CHECK(ulp_distance(Type::F32, f(-0.0f), f(0.0f)) == 0);
  // From the smallest negative to the smallest positive number over the two zeros.
  CHECK(ulp_distance(Type::F32, f(-0x1p-149f), f(0x1p-149f)) == 2);
  float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(ulp_distance(Type::F32, f(nan), f(-nan)) == 0);
  CHECK(ulp_distance(Type::F32, f(nan), f(1.0f)) == std::numeric_limits<uint64_t>::max());
  CHECK(ulp_distance(Type::S32, 0xffffffff, 1) == 2);
  CHECK(ulp_distance(Type::U32, 0xffffffff, 1) == 0xfffffffe);
}

}  // namespace warptime::host
