// What progress lines and the lines of --watch say, and when: with a clock that stands still between two steps.
#include "cli/progress.h"

#include <catch2/catch.hpp>
#include <utility>

#include "cli/run/watch.h"

using namespace warptime;
using namespace warptime::cli;

namespace {

/// A display whose time the test sets.
struct Screen {
  double now = 100;
  std::string text;

  ProgressDisplay display(bool is_terminal) {
    return {.is_terminal = is_terminal,
            .clock = [this] { return now; },
            .write = [this](std::string_view more) { text += more; }};
  }
  std::string take() { return std::exchange(text, {}); }
};

sim::RunMoment moment_at(uint64_t ended, uint64_t blocks = 64) {
  return {.kernel = "k",
          .ended_blocks = ended,
          .blocks = blocks,
          .share = static_cast<double>(ended) / static_cast<double>(blocks)};
}
sim::RunMoment end_of_launch() {
  sim::RunMoment moment = moment_at(64);
  moment.is_end = true;
  return moment;
}

}  // namespace

TEST_CASE("progress: blocks, share and time left of the present launch") {
  CHECK(progress_text(1, moment_at(0), 3) == "  launch 1: 0 of 64 blocks, 0 %");
  // A quarter took 3 s, so three quarters take 9 s.
  CHECK(progress_text(2, moment_at(16), 3) == "  launch 2: 16 of 64 blocks, 25 %, 9 s left");
  CHECK(progress_text(2, moment_at(64), 3) == "  launch 2: 64 of 64 blocks, 100 %, 0 s left");
  CHECK(progress_text(2, end_of_launch(), 3) == "  launch 2: 64 of 64 blocks, 100 %");
  sim::RunMoment sampled = moment_at(16);
  sampled.blocks = 0;
  CHECK(progress_text(1, sampled, 3) == "  launch 1: 25 %, 9 s left");
}

TEST_CASE("progress: long times in minutes and hours, rounded up") {
  CHECK(duration_text(0) == "0 s");
  CHECK(duration_text(118.2) == "119 s");
  CHECK(duration_text(119.5) == "2 min");
  CHECK(duration_text(198) == "4 min");
  CHECK(duration_text(7201) == "3 h");
}

TEST_CASE("progress: on a terminal after two seconds, renewed in place, erased at the end") {
  Screen screen;
  {
    Progress progress(true, screen.display(true));
    screen.now += 1.9;
    progress.progress(moment_at(8));
    CHECK(screen.take().empty());
    screen.now += 0.1;
    progress.progress(moment_at(16));
    CHECK(screen.take() == "\r  launch 1: 16 of 64 blocks, 25 %, 6 s left\x1b[K");
    screen.now += 0.15;
    progress.progress(moment_at(17));
    CHECK(screen.take().empty());
    screen.now += 0.1;
    progress.progress(end_of_launch());
    CHECK(screen.take() == "\r  launch 1: 64 of 64 blocks, 100 %\x1b[K");
    // The time left is counted from the beginning of each launch.
    screen.now += 4;
    progress.progress(moment_at(32));
    CHECK(screen.take() == "\r  launch 2: 32 of 64 blocks, 50 %, 4 s left\x1b[K");
    progress.clear();
    CHECK(screen.take() == "\r\x1b[K");
    progress.clear();
    CHECK(screen.take().empty());
    progress.begin_run("what-if 2 of 5");
    screen.now += 1;
    progress.progress(moment_at(32));
    CHECK(screen.take() == "\r  what-if 2 of 5, launch 1: 32 of 64 blocks, 50 %, 1 s left\x1b[K");
  }
  CHECK(screen.take() == "\r\x1b[K");
}

TEST_CASE("progress: elsewhere a line every half minute, and nothing to erase") {
  Screen screen;
  {
    Progress progress(true, screen.display(false));
    screen.now += 29;
    progress.progress(moment_at(16));
    CHECK(screen.take().empty());
    screen.now += 1;
    progress.progress(moment_at(32));
    CHECK(screen.take() == "  launch 1: 32 of 64 blocks, 50 %, 30 s left\n");
    screen.now += 29.9;
    progress.progress(moment_at(33));
    progress.clear();
    CHECK(screen.take().empty());
    screen.now += 0.1;
    progress.progress(moment_at(48));
    CHECK(screen.take() == "  launch 1: 48 of 64 blocks, 75 %, 20 s left\n");
  }
  CHECK(screen.take().empty());
}

TEST_CASE("progress: nothing where it is not wanted") {
  Screen screen;
  {
    Progress progress(false, screen.display(true));
    CountProgress counts(false, "points", 4, 0, screen.display(true));
    screen.now += 60;
    progress.progress(moment_at(16));
    counts.update(1);
  }
  CHECK(screen.text.empty());
}

TEST_CASE("progress: tasks, also before the first has ended") {
  Screen screen;
  {
    CountProgress progress(true, "points", 12, 2, screen.display(true));
    screen.now += 2;
    progress.update(0);
    CHECK(screen.take() == "\r  2 of 12 points\x1b[K");
    screen.now += 2;
    progress.update(2);  // 2 s each, and 8 are left
    CHECK(screen.take() == "\r  4 of 12 points, 16 s left\x1b[K");
  }
  CHECK(screen.take() == "\r\x1b[K");
}

TEST_CASE("watch: cycles, rate, blocks, and the largest shares of the issue slots") {
  sim::RunMoment moment = moment_at(12);
  moment.now = 1'200'000;
  sim::RunCounts since{.warp_instructions = 500'000};
  CHECK(watch_text(1, moment, since, 1.25) ==
        "  launch 1, kernel k: cycle 1,200,000, 0.40 million warp instr./s, 12 of 64 blocks");
  moment.timed = false;
  CHECK(watch_text(3, moment, since, 1.25) ==
        "  launch 3, kernel k: warp instruction 1,200,000, 0.40 million warp instr./s, 12 of 64 blocks");
  moment.timed = true;
  since.issue.emplace();
  since.issue->slots = 1000;
  since.issue->issued = 530;
  since.issue->stalls[static_cast<size_t>(sim::Stall::Barrier)] = 165;
  since.issue->stalls[static_cast<size_t>(sim::Stall::GlobalDependency)] = 300;
  since.issue->stalls[static_cast<size_t>(sim::Stall::Fence)] = 5;  // below a percent
  CHECK(watch_text(1, moment, since, 1.25) ==
        "  launch 1, kernel k: cycle 1,200,000, 0.40 million warp instr./s, 12 of 64 blocks; issued 53 %, "
        "global_dependency 30 %, barrier 16 %");
}

TEST_CASE("watch: one line per second, with what happened since the line before, over launches") {
  Screen screen;
  Watch watch(screen.display(false));
  auto update = [&](sim::RunMoment moment, uint64_t instructions, uint64_t issued) {
    moment.counts = [instructions, issued] {
      sim::RunCounts counts{.warp_instructions = instructions};
      counts.issue.emplace();
      counts.issue->slots = 4 * issued;
      counts.issue->issued = issued;
      return counts;
    };
    watch.progress(moment);
    return screen.take();
  };
  screen.now += 0.9;
  CHECK(update(moment_at(1), 900'000, 10).empty());
  screen.now += 0.1;
  CHECK_THAT(update(moment_at(2), 1'000'000, 100),
             Catch::Contains("launch 1, ") && Catch::Contains(" 1.00 million") && Catch::EndsWith("; issued 25 %\n"));
  screen.now += 0.5;
  CHECK(update(end_of_launch(), 3'000'000, 200).empty());
  screen.now += 0.1;
  CHECK(update(end_of_launch(), 1'000'000, 200).empty());  // a short launch
  screen.now += 0.4;
  // 2 million of the first launch, 1 million of the second, 3 million of this one.
  CHECK_THAT(update(moment_at(7), 3'000'000, 100),
             Catch::Contains("launch 3, ") && Catch::Contains(" 6.00 million warp instr./s, 7 of 64 blocks"));
  screen.now += 2;
  CHECK_THAT(update(moment_at(9), 4'000'000, 140), Catch::Contains(" 0.50 million"));
}
