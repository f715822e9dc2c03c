// The three policies on a handful of warps.
#include "sim/core/warp_picker.h"

#include <catch2/catch.hpp>

using namespace warptime::sim;

TEST_CASE("round robin goes on after the last warp and wraps", "[picker]") {
  WarpPicker picker(WarpPolicy::round_robin);
  REQUIRE(picker.pick(0b1011) == 0);
  REQUIRE(picker.pick(0b1011) == 1);
  REQUIRE(picker.pick(0b1011) == 3);
  REQUIRE(picker.pick(0b1011) == 0);
  REQUIRE(picker.pick(uint64_t{1} << 63) == 63);
  REQUIRE(picker.pick(~uint64_t{0}) == 0);
}

TEST_CASE("greedy then oldest stays with a warp, then takes the oldest", "[picker]") {
  WarpPicker picker(WarpPolicy::greedy_then_oldest);
  for (uint32_t warp : {2u, 0u, 1u}) picker.started(warp);  // 2 is the oldest
  REQUIRE(picker.pick(0b011) == 0);
  REQUIRE(picker.pick(0b111) == 0);
  REQUIRE(picker.pick(0b110) == 2);
  REQUIRE(picker.pick(0b111) == 2);
}

TEST_CASE("oldest first always takes the oldest", "[picker]") {
  WarpPicker picker(WarpPolicy::oldest_first);
  for (uint32_t warp : {2u, 0u, 1u}) picker.started(warp);
  REQUIRE(picker.pick(0b011) == 0);
  REQUIRE(picker.pick(0b111) == 2);
  picker.started(2);  // a new warp in the same place is the youngest
  REQUIRE(picker.pick(0b111) == 0);
}
