// Which blocks a sampled run times.
#include "sim/gpu/sample_plan.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

namespace warptime::sim {

namespace {

constexpr uint64_t kWave = 10;

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
    REQUIRE(sample.last - sample.first == kWave);
    uint64_t block = plan.blocks[sample.first];
    CHECK(block % kWave == 0);
    CHECK(plan.blocks[sample.last - 1] == block + kWave - 1);   // in one piece
    CHECK(plan.blocks[sample.first - kWave] == block - kWave);  // after a wave of warm-up, its neighbours
  }
  CHECK(std::accumulate(plan.weight.begin(), plan.weight.end(), 0.0) == Approx(1));
  CHECK(std::accumulate(plan.segments.begin(), plan.segments.end(), uint64_t{0}) ==
        blocks / kWave - SamplePlan::kStartWaves - SamplePlan::kEndWaves);
}

std::vector<uint64_t> sampled_blocks(const SamplePlan& plan) {
  std::vector<uint64_t> out;
  for (size_t i = 1; i + 1 < plan.intervals.size(); ++i) out.push_back(plan.blocks[plan.intervals[i].first]);
  return out;
}

}  // namespace

TEST_CASE("a launch is sampled from 58 waves on, half of it at most") {
  // Start, end and its warm-up are 9 waves, a sample 2: 29 for ten samples.
  CHECK(SamplePlan::most_samples(58 * kWave - 1, kWave) == 0);
  CHECK(SamplePlan::most_samples(58 * kWave, kWave) == 10);
  CHECK(SamplePlan::most_samples(61 * kWave, kWave) == 10);
  CHECK(SamplePlan::most_samples(62 * kWave, kWave) == 11);
  CHECK(SamplePlan::most_samples(98 * kWave, kWave) == 20);
  CHECK(SamplePlan::most_samples(100000 * kWave, kWave) == 100);
}

TEST_CASE("a plan has a start, samples in one piece behind their warm-up, and an end") {
  uint64_t blocks = GENERATE(580, 583, 799, 4001);
  uint64_t seed = GENERATE(1, 2, 3);
  uint32_t samples = std::min(SamplePlan::most_samples(blocks, kWave), 40u);
  SamplePlan plan = SamplePlan::make(blocks, kWave, samples, {}, seed);
  check_shape(plan, blocks);
  CHECK(plan.intervals.size() == samples + 2);
}

TEST_CASE("one sample lies in each of equally many segments in a row") {
  // 1008 waves: 1000 segments, 20 samples, one in each 50.
  SamplePlan plan = SamplePlan::make(1008 * kWave, kWave, 20, {}, 5);
  std::vector<uint64_t> at = sampled_blocks(plan);
  REQUIRE(at.size() == 20);
  for (uint64_t i = 0; i < 20; ++i) CHECK((at[i] / kWave - SamplePlan::kStartWaves) / 50 == i);
}

TEST_CASE("the seed decides where the samples are, and nothing else does") {
  auto at = [](uint64_t seed) { return sampled_blocks(SamplePlan::make(5000, kWave, 20, {}, seed)); };
  CHECK(at(1) == at(1));
  CHECK(at(1) != at(2));
}

TEST_CASE("blocks within 5 % of each other make one stratum, others four of like counts") {
  std::vector<uint64_t> counts(4000, 100);
  counts[17] = 105;
  CHECK(SamplePlan::make(4000, kWave, 20, counts, 1).strata() == 1);
  counts[17] = 106;
  CHECK(SamplePlan::make(4000, kWave, 20, counts, 1).strata() > 1);

  // Every fourth wave is heavy: what it has in instructions, it gets in samples.
  for (uint64_t i = 0; i < counts.size(); ++i) counts[i] = i / kWave % 4 == 0 ? 900 : 100;
  SamplePlan plan = SamplePlan::make(4000, kWave, 20, counts, 1);
  check_shape(plan, 4000);
  REQUIRE(plan.strata() == 4);
  size_t heavy = 0;
  for (uint64_t block : sampled_blocks(plan)) heavy += block / kWave % 4 == 0 ? 1 : 0;
  CHECK(heavy == 15);  // 98 heavy and 294 light segments: three strata of four are heavy
  for (double weight : plan.weight) CHECK(weight == Approx(0.25).margin(0.01));
}

TEST_CASE("a few heavy segments are a stratum that is timed whole") {
  std::vector<uint64_t> counts(4000, 10);
  for (uint64_t i = 2000; i < 2030; ++i) counts[i] = 100000;
  SamplePlan plan = SamplePlan::make(4000, kWave, 20, counts, 3);
  check_shape(plan, 4000);
  std::vector<uint64_t> at = sampled_blocks(plan);
  for (uint64_t block : {2000, 2010, 2020}) CHECK(std::find(at.begin(), at.end(), block) != at.end());
}

TEST_CASE("spread is the most over the least") {
  CHECK(spread({}) == 0);
  CHECK(spread(std::vector<uint64_t>{7, 7}) == 0);
  CHECK(spread(std::vector<uint64_t>{100, 105, 103}) == Approx(0.05));
}

}  // namespace warptime::sim
