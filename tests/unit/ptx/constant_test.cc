#include "ptx/syntax/constant.h"

#include <catch2/catch.hpp>
#include <limits>

#include "ptx/syntax/constant_expression.h"

namespace warptime::ptx {
namespace {

Constant literal(std::string_view text) {
  std::string why;
  auto value = parse_literal(text, &why);
  INFO(text << " " << why);
  REQUIRE(value);
  return *value;
}

std::string why_not(std::string_view text) {
  std::string why;
  CHECK_FALSE(parse_literal(text, &why));
  return why;
}

TEST_CASE("Literals: integers in every base", "[ptx][constant]") {
  CHECK(literal("0").bits == 0);
  CHECK(literal("10").bits == 10);
  CHECK(literal("010").bits == 8);
  CHECK(literal("0x10").bits == 16);
  CHECK(literal("0XfF").bits == 255);
  CHECK(literal("0b10").bits == 2);
  CHECK(literal("0B11U").bits == 3);
  CHECK(literal("9223372036854775807").kind == Constant::Kind::Signed);
  CHECK(literal("9223372036854775808").kind == Constant::Kind::Unsigned);
  CHECK(literal("18446744073709551615").bits == ~uint64_t{0});
  CHECK(literal("5U").kind == Constant::Kind::Unsigned);
}

TEST_CASE("Literals: floating point", "[ptx][constant]") {
  CHECK(literal("0f3F800000").kind == Constant::Kind::Single);
  CHECK(literal("0f3F800000").as_double() == 1.0);
  CHECK(literal("0dC000000000000000").as_double() == -2.0);
  CHECK(literal("1.5").as_double() == 1.5);
  CHECK(literal("25e-1").as_double() == 2.5);
  CHECK(literal("1.").as_double() == 1.0);
}

TEST_CASE("Literals: what is wrong with them", "[ptx][constant]") {
  CHECK(why_not("18446744073709551616") == "does not fit in 64 bits");
  CHECK(why_not("08") == "is not an octal number");
  CHECK(why_not("0x") == "is not a hexadecimal number");
  CHECK(why_not("0b2") == "is not a binary number");
  CHECK(why_not("1x") == "is not a decimal number");
  CHECK(why_not("1.5.2") == "is not a number");
  CHECK(why_not("1e") == "is not a number");
  CHECK(why_not("1e999") == "is beyond the range of f64");
  CHECK(why_not("0f1234567") == "needs 8 hexadecimal digits after 0f");
  CHECK(why_not("0d12") == "needs 16 hexadecimal digits after 0d");
}

TEST_CASE("Constants take the type of their use", "[ptx][constant]") {
  CHECK(convert(Constant::of(int64_t{-1}), Type::U16).bits == 0xffff);
  CHECK(convert(Constant::of(int64_t{-1}), Type::S64).bits == ~uint64_t{0});
  CHECK(convert(literal("1.0"), Type::F32).bits == 0x3f800000);
  CHECK(convert(literal("0d3FF0000000000000"), Type::F32).bits == 0x3f800000);
  CHECK(convert(literal("0f3F800000"), Type::F64).bits == 0x3ff0000000000000);
  CHECK(convert(literal("0f3F800000"), Type::B32).bits == 0x3f800000);
  CHECK(convert(Constant::of(int64_t{-1}), Type::Pred).bits == 1);
  // 0.1 in f64 rounds to the nearest f32.
  CHECK(convert(literal("0.1"), Type::F32).bits == 0x3dcccccd);
  // A NaN keeps its payload.
  CHECK(convert(literal("0f7FC00001"), Type::F32).bits == 0x7fc00001);
}

TEST_CASE("Constants that a type cannot hold", "[ptx][constant]") {
  auto truncated = [](int64_t value, Type type) { return convert(Constant::of(value), type).truncated; };
  CHECK_FALSE(truncated(65535, Type::S16));  // legal as a bit pattern
  CHECK(truncated(65536, Type::S16));
  CHECK_FALSE(truncated(-32768, Type::U16));
  CHECK(truncated(-32769, Type::U16));
  CHECK_FALSE(truncated(-1, Type::U64));
  CHECK(convert(Constant::of(int64_t{65536 + 7}), Type::U16).bits == 7);
  CHECK_FALSE(convert(Constant::of(int64_t{1}), Type::F32).ok);
  CHECK_FALSE(convert(literal("1.0"), Type::U32).ok);
  CHECK_FALSE(convert(literal("0f3F800000"), Type::B64).ok);
  CHECK_FALSE(convert(literal("0f3F800000"), Type::U32).ok);
  CHECK_FALSE(convert(literal("1.0"), Type::Pred).ok);
  CHECK_FALSE(convert(literal("1.0"), Type::F16).ok);
}

int64_t evaluate(const std::string& text) {
  Diagnostics diagnostics;
  SourceText source("test.ptx", text + " ;");
  TokenStream tokens(source, diagnostics);
  Constant value;
  INFO(text);
  REQUIRE(parse_constant(tokens, &value));
  CHECK(tokens.now().is(';'));
  return static_cast<int64_t>(value.bits);
}

TEST_CASE("Constant expressions: precedence and signedness as in C", "[ptx][constant]") {
  CHECK(evaluate("2+3*4") == 14);
  CHECK(evaluate("10-3-2") == 5);
  CHECK(evaluate("1|2^3&4") == (1 | (2 ^ (3 & 4))));
  CHECK(evaluate("1<<2+1") == 8);
  CHECK(evaluate("-8>>1") == -4);
  CHECK(evaluate("0xFFFFFFFFFFFFFFFF>>60") == 15);
  CHECK(evaluate("-1 < 1") == 1);
  CHECK(evaluate("-1 < 1U") == 0);  // unsigned, so the left side is large
  CHECK(evaluate("7 % -4") == 3);
  CHECK(evaluate("1 ? 2 : 0 ? 3 : 4") == 2);
  CHECK(evaluate("0 ? 2 : 0 ? 3 : 4") == 4);
  CHECK(evaluate("-9223372036854775808 % -1") == 0);
  CHECK(evaluate("1 << 64") == 0);
  CHECK(evaluate("-1 >> 64") == -1);
  CHECK(evaluate("~-1") == 0);
  CHECK(evaluate("!(2 > 1.5)") == 0);
}

}  // namespace
}  // namespace warptime::ptx
