// Counts by slice of time, the bins of a buffer, moments of the partitions: all stay bounded, and sums stay exact.
#include "sim/model/access_log.h"

#include <catch2/catch.hpp>
#include <numeric>

using namespace warptime;
using namespace warptime::sim;

namespace {

uint64_t total(const SlicedCounts& counts, size_t item) {
  auto of = counts.of(item);
  return std::accumulate(of.begin(), of.end(), uint64_t{0});
}

}  // namespace

TEST_CASE("slices of time become longer when a cycle does not fit, and lose nothing") {
  constexpr Cycle kFirst = Cycle{1} << SlicedCounts::kFirstShift;
  SlicedCounts counts(2);
  counts.add(0, 0, 1);
  counts.add(0, kFirst, 2);
  counts.add(1, kFirst * SlicedCounts::kSlices - 1, 5);
  CHECK(counts.slice_cycles() == kFirst);
  CHECK(counts.of(0)[1] == 2);
  counts.add(1, kFirst * SlicedCounts::kSlices, 7);
  CHECK(counts.slice_cycles() == 2 * kFirst);
  CHECK(counts.of(0)[0] == 3);
  CHECK(counts.of(1)[SlicedCounts::kSlices / 2 - 1] == 5);
  CHECK(counts.of(1)[SlicedCounts::kSlices / 2] == 7);
  counts.add(0, kFirst * SlicedCounts::kSlices * 1000, 1);
  CHECK(total(counts, 0) == 4);
  CHECK(total(counts, 1) == 12);
}

TEST_CASE("counts of two SMs add up, whichever has the longer slices") {
  SlicedCounts early(1), late(1);
  early.add(0, 10, 1);
  early.add(0, 100, 2);
  late.add(0, 20, 4);
  late.add(0, 100'000, 8);
  SlicedCounts a, b;
  a.add(early);
  a.add(late);
  b.add(late);
  b.add(early);
  CHECK(a.slice_cycles() == late.slice_cycles());
  for (size_t i = 0; i < SlicedCounts::kSlices; ++i) CHECK(a.of(0)[i] == b.of(0)[i]);
  CHECK(a.of(0)[0] == 7);
  CHECK(total(a, 0) == 15);
}

TEST_CASE("a buffer has at most so many bins, and every byte is in one") {
  AccessLog log;
  log.add_buffer("empty", 0x100, 0);
  log.add_buffer("one", 0x1000, 4);
  log.add_buffer("large", 0x10000, 1'000'001);
  REQUIRE(log.buffers.size() == 2);
  CHECK(log.buffers[0].bins == 1);
  const AccessLog::Buffer& large = log.buffers[1];
  CHECK(large.first_bin == 1);
  CHECK(large.bins <= AccessLog::kMostBins);
  CHECK(large.bins > AccessLog::kMostBins / 4);
  CHECK(large.bin_of(0x10000) == 1);
  CHECK(large.bin_of(0x10000 + 1'000'000) == large.bins);
  CHECK(log.find(0x1003, nullptr) == &log.buffers[0]);
  CHECK(log.find(0x1004, nullptr) == nullptr);
  CHECK(log.find(0x10000, &log.buffers[0]) == &large);
  for (size_t i = 0; i < 2 * AccessLog::kMostBuffers; ++i) log.add_buffer("more", 0x1000000 + 0x1000 * i, 64);
  CHECK(log.buffers.size() == AccessLog::kMostBuffers);
  CHECK(log.buffers_left_out == AccessLog::kMostBuffers + 2);
}

TEST_CASE("moments of a long launch are further apart") {
  AccessLog log;
  uint64_t added = 0;
  for (Cycle now = 0; now < 1'000'000; now += 64)
    if (log.moment_due(now)) {
      DramStats stats;
      stats.read_bytes = now;
      log.add_moment(now, {stats});
      ++added;
    }
  CHECK(added > AccessLog::kMostMoments);
  CHECK(log.moments.size() <= AccessLog::kMostMoments);
  CHECK(log.moments.size() > AccessLog::kMostMoments / 4);
  log.end_moments(900'000, {DramStats{}});
  CHECK(log.moments.back().cycle == 900'000);
  log.moments.pop_back();
  for (size_t i = 0; i < log.moments.size(); ++i) {
    if (i > 0) CHECK(log.moments[i].cycle > log.moments[i - 1].cycle);
    REQUIRE(log.moments[i].partitions.size() == 1);
    CHECK(log.moments[i].partitions[0].read_bytes == log.moments[i].cycle);
  }
}
