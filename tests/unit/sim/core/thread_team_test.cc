// Every task once, whatever the number of threads, over many runs.
#include "sim/gpu/thread_team.h"

#include <catch2/catch.hpp>

using warptime::sim::ThreadTeam;

TEST_CASE("each task runs exactly once in each run", "[threads]") {
  for (uint32_t threads : {1u, 2u, 3u, 8u}) {
    ThreadTeam team(threads);
    std::vector<uint32_t> count(14);
    for (uint32_t run = 1; run <= 300; ++run) {
      team.run(14, [&](uint32_t i) { ++count[i]; });
      for (uint32_t c : count) REQUIRE(c == run);
    }
  }
}

TEST_CASE("a team without work ends at once", "[threads]") {
  ThreadTeam team(4);
  team.run(0, [](uint32_t) {});
}
