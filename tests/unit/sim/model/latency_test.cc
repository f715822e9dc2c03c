// The histogram of latencies: where its bins begin, percentiles of them, least and most in sums.
#include "sim/model/latency.h"

#include <catch2/catch.hpp>

#include "sim/model/queue_use.h"

using namespace warptime;
using namespace warptime::sim;

TEST_CASE("bins are a cycle wide up to 32 cycles, then a sixteenth of a power of two") {
  for (uint64_t latency : {0, 1, 15, 16, 31}) {
    CHECK(LatencyStats::bin_of(latency) == latency);
    CHECK(LatencyStats::first_of(LatencyStats::bin_of(latency)) == latency);
  }
  CHECK(LatencyStats::bin_of(32) == 32);
  CHECK(LatencyStats::bin_of(33) == 32);
  CHECK(LatencyStats::bin_of(34) == 33);
  CHECK(LatencyStats::bin_of(63) == 47);
  CHECK(LatencyStats::bin_of(64) == 48);
  CHECK(LatencyStats::bin_of(67) == 48);
  CHECK(LatencyStats::bin_of(68) == 49);
  for (uint32_t bin = 1; bin < LatencyStats::kBins; ++bin) {
    uint64_t first = LatencyStats::first_of(bin);
    CHECK(LatencyStats::bin_of(first) == bin);
    CHECK(LatencyStats::bin_of(first - 1) == bin - 1);
  }
  CHECK(LatencyStats::bin_of(~uint64_t{0}) == LatencyStats::kBins - 1);
}

TEST_CASE("percentiles: 99 of 100 loads do not exceed p99, and the 100th may") {
  LatencyStats stats;
  CHECK(stats.percentile(50) == 0);
  CHECK(stats.mean() == 0);
  for (int i = 0; i < 99; ++i) stats.add(400);
  stats.add(10'000);
  CHECK(stats.loads() == 100);
  CHECK(stats.percentile(50) == 400);  // its bin begins at 400
  CHECK(stats.percentile(99) == 400);
  CHECK(stats.percentile(100) == 9728);
  CHECK(stats.mean() == 496);
  stats.add(10'000);
  CHECK(stats.percentile(99) == 9728);
  CHECK(stats.least.value() == 400);
  CHECK(stats.most.value() == 10'000);
  // Rounded down to the bin, but not below the least.
  LatencyStats one;
  one.add(415);
  CHECK(one.percentile(50) == 415);
}

TEST_CASE("sums keep the least and the most, differences those of the whole") {
  LatencyStats a, b;
  a.add(7);
  b.add(5);
  b.add(9);
  add_numbers(a, b);
  CHECK(a.loads() == 3);
  CHECK(a.least.value() == 5);
  CHECK(a.most.value() == 9);
  for_each_number(a, b, [](auto& x, const auto& y) { x -= y; });
  CHECK(a.loads() == 1);
  CHECK(a.cycles == 7);
  CHECK(a.least.value() == 5);
  add_numbers(a, LatencyStats{});
  CHECK(a.least.value() == 5);
  CHECK(Least{}.value() == 0);
}

TEST_CASE("the mean of a queue is over time and over all of its kind") {
  QueueUse use{.entry_cycles = 50, .cycles = 200, .most = {}, .times_full = 2};
  use.most.add(3);
  QueueUse other{.entry_cycles = 0, .cycles = 200, .most = {}, .times_full = 1};
  use.add(other);
  CHECK(use.mean() == 0.125);
  CHECK(use.most.value() == 3);
  CHECK(use.times_full == 3);
  CHECK(QueueUse{}.mean() == 0);
}
