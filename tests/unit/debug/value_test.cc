// The text of values (debug/names/value.h).
#include "debug/names/value.h"

#include <bit>
#include <catch2/catch.hpp>
#include <limits>

using namespace warptime;
using namespace warptime::debug;
using ptx::Type;

namespace {

uint64_t bits_of(float value) { return std::bit_cast<uint32_t>(value); }

}  // namespace

TEST_CASE("a value is printed as its type has it", "[debug]") {
  CHECK(format_value({Type::U8, 0x1ff}) == "255");
  CHECK(format_value({Type::S8, 0xff}) == "-1");
  CHECK(format_value({Type::B32, 0xffffffff}) == "4294967295");
  CHECK(format_value({Type::S32, 0xffffffff}) == "-1");
  CHECK(format_value({Type::S64, ~uint64_t{0}}) == "-1");
  CHECK(format_value({Type::F32, bits_of(0.1f)}) == "0.1");
  CHECK(format_value({Type::F32, bits_of(-std::numeric_limits<float>::infinity())}) == "-inf");
  CHECK(format_value({Type::F32, 0x7fc00001}) == "nan(0x7fc00001)");
  CHECK(format_value({Type::F16, 0x3c00}) == "1");
  CHECK(format_value({Type::F16, 0x0001}) == "5.960464477539063e-08");
  CHECK(format_value({Type::BF16, 0x4049}) == "3.140625");
  CHECK(format_value({Type::F16x2, 0xc0003c00}) == "{1, -2}");
  CHECK(format_value({Type::Pred, 1}) == "true");
}

TEST_CASE("formats are those of gdb", "[debug]") {
  const Value minus_one{Type::S16, 0xffff};
  CHECK(format_value(minus_one, 'x') == "0xffff");
  CHECK(format_value(minus_one, 'u') == "65535");
  CHECK(format_value({Type::U16, 0xffff}, 'd') == "-1");
  CHECK(format_value(minus_one, 'o') == "0177777");
  CHECK(format_value({Type::U8, 10}, 't') == "1010");
  CHECK(format_value({Type::B32, bits_of(1.5f)}, 'f') == "1.5");
  CHECK(format_value({Type::F32, bits_of(2.75f)}, 'd') == "2");
  CHECK(format_value({Type::U8, 'A'}, 'c') == "65 'A'");
  CHECK(format_value({Type::U8, 7}, 'c') == "7");
}

TEST_CASE("a float as an integer is cut off and stays in range", "[debug]") {
  CHECK(Value::of(-2.9).as_integer() == -2);
  CHECK(Value::of(1e300).as_integer() == std::numeric_limits<int64_t>::max());
  CHECK(Value::of(-1e300).as_integer() == std::numeric_limits<int64_t>::min());
  CHECK(Value::of(std::numeric_limits<double>::quiet_NaN()).as_integer() == 0);
}
