// The wake-up wheel: at n - 1 a warp is not ready, at n it is, near and far, in whatever order one asks.
#include "sim/core/ready_set.h"

#include <catch2/catch.hpp>
#include <random>

using namespace warptime;
using warptime::sim::ReadySet;

TEST_CASE("a warp becomes ready at its cycle and not before", "[ready]") {
  for (Cycle distance : {1, 2, 22, 62, 63, 64, 65, 127, 128, 1000, 100000}) {
    ReadySet set;
    REQUIRE(set.at(10) == 0);
    set.schedule(5, 10 + distance);
    REQUIRE(set.next_wake() == 10 + distance);
    if (distance > 1) REQUIRE(set.at(10 + distance - 1) == 0);
    REQUIRE(set.next_wake() == 10 + distance);
    REQUIRE(set.at(10 + distance) == 1u << 5);
    REQUIRE(set.next_wake() == kNever);
  }
}

TEST_CASE("a wake-up in the past is at once", "[ready]") {
  ReadySet set;
  REQUIRE(set.at(100) == 0);
  set.schedule(3, 100);
  set.schedule(4, 7);
  REQUIRE(set.at(100) == 0x18);
  set.take(3);
  REQUIRE(set.at(100) == 0x10);
}

TEST_CASE("a long jump collects every warp on its way", "[ready]") {
  ReadySet set;
  for (uint32_t warp = 0; warp < 64; ++warp) set.schedule(warp, 1 + warp * 5);
  REQUIRE(set.at(1 + 31 * 5) == 0xffffffffu);
  REQUIRE(set.at(10000) == ~uint64_t{0});
}

TEST_CASE("the wheel agrees with a plain list under random use", "[ready]") {
  std::mt19937 random(7);
  ReadySet set;
  std::array<Cycle, 64> when{};
  uint64_t scheduled = 0;
  Cycle now = 0;
  for (int i = 0; i < 20000; ++i) {
    uint64_t ready = set.at(now), expected = 0;
    Cycle next = kNever;
    for (uint32_t w = 0; w < 64; ++w) {
      if (((scheduled >> w) & 1) == 0) continue;
      if (when[w] <= now) expected |= uint64_t{1} << w;
      else next = std::min(next, when[w]);
    }
    REQUIRE(ready == expected);
    REQUIRE(set.next_wake() == next);
    for (uint32_t w = 0; w < 64; ++w)
      if (((ready >> w) & 1) != 0 && random() % 2 == 0) {
        set.take(w);
        scheduled &= ~(uint64_t{1} << w);
      }
    for (int k = 0; k < 3; ++k) {
      uint32_t w = random() % 64;
      if (((scheduled >> w) & 1) != 0) continue;
      when[w] = now + (random() % 4 == 0 ? random() % 300 : random() % 40);
      scheduled |= uint64_t{1} << w;
      set.schedule(w, when[w]);
    }
    now += random() % 10 == 0 ? random() % 200 : random() % 6;
  }
}
