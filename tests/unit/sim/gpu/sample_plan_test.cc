// Which blocks a sampled run times.
#include "sim/gpu/sample_plan.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

namespace warptime::sim {

namespace {

constexpr uint64_t kWave = 10, kSample = SamplePlan::kSampleWaves * kWave;

// What every plan must be, whatever the launch.
void check_shape(const SamplePlan& plan, uint64_t blocks) {
  REQUIRE(plan.intervals.size() >= 2 + SamplePlan::kLeastSamples);
  CHECK(std::adjacent_find(plan.blocks.begin(), plan.blocks.end(), std::greater_equal<>()) == plan.blocks.end());
  CHECK(plan.blocks.size() <= blocks / 2);
  // The start is the launch's own.
  const Interval& start = plan.intervals.front();
  CHECK(start.part == 0);
  CHECK(start.first == 0);
  CHECK(start.last == SamplePlan::kStartWaves * kWave);
  CHECK(plan.blocks[start.last - 1] == start.last - 1);
  // So is the end, after a wave of warm-up.
  const Interval& end = plan.intervals.back();
  CHECK(end.part == plan.parts() - 1);
  CHECK(end.last == Interval::kEnd);
  CHECK(plan.blocks.back() == blocks - 1);
  uint64_t in_end = plan.blocks.size() - end.first;
  CHECK(in_end >= SamplePlan::kEndWaves * kWave);
  CHECK(plan.blocks[end.first - kWave] == blocks - in_end - kWave);
  for (size_t i = 1; i + 1 < plan.intervals.size(); ++i) {
    const Interval& sample = plan.intervals[i];
    CHECK(sample.first >= plan.intervals[i - 1].last);
    CHECK(sample.part >= 1);
    CHECK(sample.part <= plan.strata());
    REQUIRE(sample.last - sample.first == kSample);
    uint64_t block = plan.blocks[sample.first];
    CHECK((block - SamplePlan::kStartWaves * kWave) % kSample == 0);
    CHECK(plan.blocks[sample.last - 1] == block + kSample - 1);  // in one piece
    CHECK(plan.blocks[sample.first - kWave] == block - kWave);   // after a wave of warm-up, its neighbours
  }
  CHECK(std::accumulate(plan.weight.begin(), plan.weight.end(), 0.0) == Approx(1));
  CHECK(std::accumulate(plan.segments.begin(), plan.segments.end(), uint64_t{0}) ==
        (blocks / kWave - SamplePlan::kStartWaves - SamplePlan::kEndWaves) / SamplePlan::kSampleWaves);
}

std::vector<uint64_t> sampled_blocks(const SamplePlan& plan) {
  std::vector<uint64_t> out;
  for (size_t i = 1; i + 1 < plan.intervals.size(); ++i) out.push_back(plan.blocks[plan.intervals[i].first]);
  return out;
}

}  // namespace

TEST_CASE("a launch is sampled from 78 waves on, half of it at most") {
  // Start, end and its warm-up are 9 waves, a sample 3: 39 for ten samples.
  CHECK(SamplePlan::most_samples(kWave, kWave) == 0);
  CHECK(SamplePlan::most_samples(78 * kWave - 1, kWave) == 0);
  CHECK(SamplePlan::most_samples(78 * kWave, kWave) == 10);
  CHECK(SamplePlan::most_samples(83 * kWave, kWave) == 10);
  CHECK(SamplePlan::most_samples(84 * kWave, kWave) == 11);
  CHECK(SamplePlan::most_samples(100000 * kWave, kWave) == 100);
}

TEST_CASE("a plan has a start, samples in one piece behind their warm-up, and an end") {
  uint64_t blocks = GENERATE(780, 783, 999, 4001);
  uint64_t seed = GENERATE(1, 2, 3);
  uint32_t samples = std::min(SamplePlan::most_samples(blocks, kWave), 40u);
  SamplePlan plan = SamplePlan::make(blocks, kWave, samples, {}, seed);
  check_shape(plan, blocks);
  CHECK(plan.intervals.size() == samples + 2);
}

TEST_CASE("one sample lies in each of equally many segments in a row") {
  // 2008 waves: 1000 segments, 20 samples, one in each 50.
  SamplePlan plan = SamplePlan::make(2008 * kWave, kWave, 20, {}, 5);
  std::vector<uint64_t> at = sampled_blocks(plan);
  REQUIRE(at.size() == 20);
  for (uint64_t i = 0; i < 20; ++i) CHECK((at[i] - SamplePlan::kStartWaves * kWave) / kSample / 50 == i);
}

TEST_CASE("the seed decides where the samples are, and nothing else does") {
  auto at = [](uint64_t seed) { return sampled_blocks(SamplePlan::make(5000, kWave, 20, {}, seed)); };
  CHECK(at(1) == at(1));
  CHECK(at(1) != at(2));
}

TEST_CASE("a last block that is shorter than all others is not a reason for strata") {
  std::vector<uint64_t> counts(4000, 100);
  counts.back() = 1;
  CHECK(SamplePlan::make(4000, kWave, 20, counts, 1).strata() == 1);
}

TEST_CASE("blocks within 5 % of each other make one stratum, others four of like counts") {
  std::vector<uint64_t> counts(4000, 100);
  counts[170] = 104;
  CHECK(SamplePlan::make(4000, kWave, 20, counts, 1).strata() == 1);
  counts[170] = 106;
  CHECK(SamplePlan::make(4000, kWave, 20, counts, 1).strata() > 1);

  // Every fourth segment is heavy. By half their instructions and half their number, heavy ones are 900 + 300 and light
  // ones 100 + 300: half of all time each, and half of the samples.
  auto is_heavy = [](uint64_t block) { return (block - SamplePlan::kStartWaves * kWave) / kSample % 4 == 0; };
  for (uint64_t i = 0; i < counts.size(); ++i)
    counts[i] = i >= SamplePlan::kStartWaves * kWave && is_heavy(i) ? 900 : 100;
  SamplePlan plan = SamplePlan::make(4000, kWave, 20, counts, 1);
  check_shape(plan, 4000);
  REQUIRE(plan.strata() == 4);
  size_t heavy = 0;
  for (uint64_t block : sampled_blocks(plan)) heavy += is_heavy(block) ? 1 : 0;
  CHECK(heavy == 10);  // 49 heavy and 147 light segments
  CHECK(plan.weight[2] + plan.weight[3] == Approx(0.75).margin(0.02));
}

TEST_CASE("a few heavy segments are a stratum that is timed whole") {
  std::vector<uint64_t> counts(4000, 10);
  for (uint64_t i = 2060; i < 2140; ++i) counts[i] = 100000;
  SamplePlan plan = SamplePlan::make(4000, kWave, 20, counts, 3);
  check_shape(plan, 4000);
  std::vector<uint64_t> at = sampled_blocks(plan);
  for (uint64_t block : {2060, 2080, 2100, 2120}) CHECK(std::find(at.begin(), at.end(), block) != at.end());
}

TEST_CASE("spread is the most over the least") {
  CHECK(spread({}) == 0);
  CHECK(spread(std::vector<uint64_t>{7, 7}) == 0);
  CHECK(spread(std::vector<uint64_t>{100, 105, 103}) == Approx(0.05));
}

}  // namespace warptime::sim
