#include "base/clock.h"

#include <catch2/catch.hpp>

using namespace warptime;

// 1350 : 900 is 3 : 2. Memory edges at shader times 0, 1.5, 3, 4.5, ...: the first shader cycle at or after edge 1 is
// 2, after edge 2 it is 3.
TEST_CASE("clock domains convert in exact ratios") {
  ClockRatio memory(1350000, 900000);
  CHECK(memory.to_shader(0) == 0);
  CHECK(memory.to_shader(1) == 2);
  CHECK(memory.to_shader(2) == 3);
  CHECK(memory.from_shader(0) == 0);
  CHECK(memory.from_shader(1) == 1);
  CHECK(memory.from_shader(2) == 2);
  CHECK(memory.from_shader(3) == 2);
}

TEST_CASE("a long run does not drift") {
  ClockRatio core(1350000, 575000);  // 54 : 23
  uint64_t periods = 1'000'000'007;
  CHECK(core.to_shader(23 * periods) == 54 * periods);
  CHECK(core.from_shader(54 * periods) == 23 * periods);
  CHECK(core.from_shader(54 * periods + 1) == 23 * periods + 1);
}
