// Division by an invariant must be exact everywhere: around multiples, around the limit of the fast way, at the ends.
#include "base/divider.h"

#include <catch2/catch.hpp>
#include <random>

#include "base/clock.h"

using namespace warptime;

TEST_CASE("division by an invariant equals division", "[divider]") {
  for (uint64_t divisor : {1ull, 2ull, 3ull, 6ull, 7ull, 23ull, 54ull, 64ull, 641ull, 1'350'000ull, 4'294'967'297ull,
                           0x8000'0000'0000'0000ull, ~0ull}) {
    Divider divider(divisor);
    std::mt19937_64 random(divisor);
    for (int i = 0; i < 2000; ++i) {
      uint64_t multiple = (random() >> (random() % 64)) / divisor * divisor;
      for (uint64_t x : {multiple, multiple + 1, multiple - 1, random() >> (random() % 64)})
        REQUIRE((divider.quotient(x) == x / divisor && divider.remainder(x) == x % divisor));
    }
    for (uint64_t x : {0ull, 1ull, ~0ull, ~0ull - 1}) CHECK(divider.quotient(x) == x / divisor);
  }
}

TEST_CASE("clock edges: the first at or after, in both directions", "[divider]") {
  ClockRatio core(1350000, 575000);  // 54 : 23
  // Core edge 1 is at shader cycle 54 / 23 = 2.35, edge 23 at 54 exactly.
  CHECK(core.to_shader(0) == 0);
  CHECK(core.to_shader(1) == 3);
  CHECK(core.to_shader(23) == 54);
  CHECK(core.to_shader(24) == 57);
  CHECK(core.from_shader(2) == 1);
  CHECK(core.from_shader(3) == 2);
  CHECK(core.from_shader(54) == 23);
  CHECK(core.from_shader(55) == 24);
  // Edge 1 (2.35) counts as cycle 3, edge 0 as 0.
  CHECK(core.first_edge_in(0) == 0);
  CHECK(core.first_edge_in(1) == 1);
  CHECK(core.first_edge_in(3) == 1);
  CHECK(core.first_edge_in(4) == 2);
  for (Cycle cycle = 0; cycle < 200; ++cycle) {
    CHECK(core.to_shader(core.first_edge_in(cycle)) >= cycle);
    if (core.first_edge_in(cycle) > 0) CHECK(core.to_shader(core.first_edge_in(cycle) - 1) < cycle);
  }
  // No drift: after 10^12 core cycles it is still exact.
  CHECK(core.to_shader(23'000'000'000'000) == 54'000'000'000'000);
}
