#include "base/config_struct.h"

#include <catch2/catch.hpp>

using namespace warptime;

namespace {

CONFIG_ENUM(Colour, red, short_, dark_blue)

#define INNER_PARAMS(P) P(uint32_t, size, 4, range(1, 8), "a size")
CONFIG_STRUCT(Inner, INNER_PARAMS)
#define OUTER_PARAMS(P)                                 \
  P(double, speed, 1.5, any(), "a speed")               \
  P(Colour, colour, Colour::short_, any(), "its paint") \
  P(Inner, inner, {}, any(), "what is in it")
CONFIG_STRUCT(Outer, OUTER_PARAMS)

}  // namespace

TEST_CASE("a range accepts its ends and nothing beyond") {
  ParamCheck check = range(1, 64);
  CHECK(check.accepts(1.0));
  CHECK(check.accepts(64.0));
  CHECK_FALSE(check.accepts(0.999));
  CHECK_FALSE(check.accepts(65.0));
  CHECK_FALSE(check.accepts("words"));
  CHECK(check.describe() == "1 to 64");
  CHECK(range(0.001, 1e6).describe() == "0.001 to 1000000");
}

TEST_CASE("a power of two accepts powers of two between its ends") {
  ParamCheck check = power_of_two(8, 1024);
  for (double good : {8.0, 16.0, 512.0, 1024.0}) CHECK(check.accepts(good));
  for (double bad : {4.0, 7.0, 9.0, 24.0, 1023.0, 2048.0, 8.5, -8.0, 0.0}) CHECK_FALSE(check.accepts(bad));
  CHECK(power_of_two(1, 4).accepts(1.0));
  CHECK_FALSE(power_of_two(0, 4).accepts(0.0));
  CHECK_FALSE(power_of_two(0, 4).accepts(0.5));
  CHECK(check.describe() == "a power of two from 8 to 1024");
}

TEST_CASE("one_of accepts whole words only") {
  ParamCheck check = one_of("1.0|1.2|2.x");
  CHECK(check.accepts("1.0"));
  CHECK(check.accepts("2.x"));
  CHECK_FALSE(check.accepts("1"));
  CHECK_FALSE(check.accepts("1.0|1.2"));
  CHECK_FALSE(check.accepts(""));
  CHECK_FALSE(check.accepts(1.0));
  CHECK(check.describe() == "1.0, 1.2 or 2.x");
  CHECK(one_of("1.0").describe() == "1.0");
}

TEST_CASE("any accepts everything and says nothing") {
  CHECK(any().accepts(-1e300));
  CHECK(any().accepts("words"));
  CHECK(any().describe().empty());
}

TEST_CASE("enum spellings lose one trailing underscore") {
  CHECK(split_enum_names(config_enum_names(Colour{})) == std::vector<std::string>{"red", "short", "dark_blue"});
  CHECK(split_enum_names("a__, b_") == std::vector<std::string>{"a_", "b"});
}

TEST_CASE("visit calls each row in order and can write through it") {
  STATIC_REQUIRE(ConfigStruct<Outer>);
  STATIC_REQUIRE(ConfigEnum<Colour>);
  STATIC_REQUIRE_FALSE(ConfigStruct<Colour>);
  Outer outer;
  CHECK(outer.inner.size == 4);
  std::vector<std::string> keys;
  Outer::visit(outer, [&](const char* key, auto& member, const ParamCheck&, std::string_view) {
    keys.emplace_back(key);
    if constexpr (ConfigStruct<std::remove_reference_t<decltype(member)>>) member.size = 7;
  });
  CHECK(keys == std::vector<std::string>{"speed", "colour", "inner"});
  CHECK(outer.inner.size == 7);
}
