// Every task once, whatever the number of threads, over many runs.
#include "sim/gpu/thread_team.h"

#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>

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

TEST_CASE("a task knows which thread runs it", "[threads]") {
  struct Work {
    std::array<std::thread::id, 3> thread_of{};  // by its number; each element is written by one thread
    std::array<bool, 3> same{true, true, true};
    void task(uint32_t, uint32_t thread) {
      auto self = std::this_thread::get_id();
      if (thread_of[thread] == std::thread::id{}) thread_of[thread] = self;
      same[thread] &= thread_of[thread] == self;
    }
  };
  ThreadTeam team(3);
  Work work;
  for (int run = 0; run < 300; ++run) team.run(14, work);
  CHECK(work.same == std::array{true, true, true});
  CHECK(work.thread_of[0] == std::this_thread::get_id());
}

TEST_CASE("others run what a busy thread has not begun", "[threads]") {
  ThreadTeam team(2);
  std::atomic<bool> last{false};
  bool in_time = true;
  team.run(14, [&](uint32_t i) {
    if (i == 12) last = true;  // the last of thread 0
    auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (i == 0 && !last && in_time) {
      in_time = std::chrono::steady_clock::now() < end;
      std::this_thread::yield();
    }
  });
  CHECK(in_time);
}
