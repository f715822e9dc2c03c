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
    bool task(uint32_t, uint32_t thread) {
      auto self = std::this_thread::get_id();
      if (thread_of[thread] == std::thread::id{}) thread_of[thread] = self;
      same[thread] &= thread_of[thread] == self;
      return false;
    }
    void finish(uint32_t) {}
  };
  ThreadTeam team(3);
  Work work;
  for (int run = 0; run < 300; ++run) team.run(14, 0, work);
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

TEST_CASE("what is to be finished waits for all readers, and stays with its thread", "[threads]") {
  constexpr uint32_t kTasks = 14, kReaders = 8;
  struct Work {
    std::atomic<uint32_t> read{0};
    std::array<std::thread::id, kTasks> thread_of{};
    std::array<uint32_t, kTasks> finished{};  // how often
    std::array<bool, kTasks> in_order{};

    bool task(uint32_t i, uint32_t) {
      thread_of[i] = std::this_thread::get_id();
      // One reader is slow: meanwhile others are through with theirs.
      if (i == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      read += i < kReaders;
      return i % 3 != 0;
    }
    void finish(uint32_t i) {
      ++finished[i];
      in_order[i] = read == kReaders && thread_of[i] == std::this_thread::get_id();
    }
  };
  for (uint32_t threads : {1u, 2u, 3u}) {
    ThreadTeam team(threads);
    for (int run = 0; run < 10; ++run) {
      Work work;
      team.run(kTasks, kReaders, work);
      for (uint32_t i = 0; i < kTasks; ++i) {
        CHECK(work.finished[i] == (i % 3 != 0 ? 1 : 0));
        CHECK(work.in_order[i] == (i % 3 != 0));
      }
    }
  }
}

TEST_CASE("host memory that runs out in a task is an exception of the run, and the team stays usable", "[threads]") {
  struct Work {
    std::atomic<uint32_t> ran{0};
    bool in_finish;
    bool task(uint32_t i, uint32_t) {
      ++ran;
      if (i == 5 && !in_finish) throw std::bad_alloc();
      return true;
    }
    void finish(uint32_t i) {
      if (i == 5 && in_finish) throw std::bad_alloc();
    }
  };
  for (bool in_finish : {false, true}) {
    ThreadTeam team(3);
    Work work{.in_finish = in_finish};
    CHECK_THROWS_AS(team.run(14, 0, work), std::bad_alloc);
    CHECK(work.ran == 14);
    std::atomic<uint32_t> more{0};
    team.run(14, [&](uint32_t) { ++more; });
    CHECK(more == 14);
  }
}
