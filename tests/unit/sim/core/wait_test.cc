// A wait is a cycle with a reason, and has room for as many reasons as the list of stalls may get.
#include <catch2/catch.hpp>

#include "sim/core/scoreboard.h"

using namespace warptime;
using namespace warptime::sim;

TEST_CASE("a wait keeps its cycle and any of 256 reasons") {
  constexpr Cycle kYears = Cycle{1} << 54;
  for (Cycle cycle : {Cycle{0}, Cycle{1}, Cycle{12345}, kYears})
    for (uint32_t reason : {0u, 1u, 15u, 16u, 17u, 128u, 255u}) {
      const Wait wait = Wait::until(cycle, static_cast<Stall>(reason));
      CHECK(wait.cycle() == cycle);
      CHECK(static_cast<uint32_t>(wait.reason()) == reason);
      CHECK(wait.known());
      CHECK_FALSE(Wait::unknown(static_cast<Stall>(reason)).known());
      CHECK(static_cast<uint32_t>(Wait::unknown(static_cast<Stall>(reason)).reason()) == reason);
    }
}

TEST_CASE("the later of two waits counts, whatever their reasons, and an unknown one is the latest") {
  const Wait early = Wait::until(99, static_cast<Stall>(255)), late = Wait::until(100, static_cast<Stall>(0));
  CHECK(latest(early, late).key == late.key);
  CHECK(latest(late, early).key == late.key);
  const Wait unknown = Wait::unknown(static_cast<Stall>(0));
  CHECK(latest(unknown, Wait::until(Cycle{1} << 54, static_cast<Stall>(255))).key == unknown.key);
}
