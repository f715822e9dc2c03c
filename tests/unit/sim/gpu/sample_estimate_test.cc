// The estimator of sampled launches, on numbers small enough to work out, and its interval on many made-up launches.
#include "sim/gpu/sample_estimate.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "base/random.h"

namespace warptime::sim {

TEST_CASE("samples with equally many instructions: a segment takes their mean") {
  // 100 segments of 12 cycles; deviations -2 and 2.
  Stratum stratum{.samples = {{10, 5}, {14, 5}}, .segments = 100, .instructions = 5};
  Estimate result = estimate(std::span(&stratum, 1));
  CHECK(result.cycles == Approx(1200));
  // A sample's variance is 8 / (2 - 1), of their mean half of it, less the 2 % that are known; t(1) is 12.706.
  CHECK(result.half_width == Approx(12.706 * 100 * std::sqrt(8.0 / 2 * 0.98)));
  // If the samples are all there is, nothing is unknown.
  stratum.segments = 2;
  CHECK(estimate(std::span(&stratum, 1)).half_width == Approx(0).margin(1e-9));
}

TEST_CASE("samples that differ in instructions: a segment lies on the line through them") {
  // t = 100 + 2 i; an average segment has 30 instructions.
  Stratum stratum{.samples = {{120, 10}, {140, 20}, {180, 40}}, .segments = 10, .instructions = 30};
  Estimate result = estimate(std::span(&stratum, 1));
  CHECK(result.cycles == Approx(1600));
  CHECK(result.half_width == Approx(0).margin(1e-6));
  // Off the line by 1, -2, 1 where i is -1, 0, 1 from its mean: the line stays, and 6 / (3 - 2) is a sample's variance.
  // At i = 30 the line is known to 1/3 (1 - 3/10) + 20^2 / 200 of that.
  stratum = {.samples = {{101, 0}, {118, 10}, {141, 20}}, .segments = 10, .instructions = 30};
  result = estimate(std::span(&stratum, 1));
  CHECK(result.cycles == Approx(1600));
  CHECK(result.half_width == Approx(12.706 * 10 * std::sqrt(6 * (0.7 / 3 + 2))));
}

TEST_CASE("batches sum neighbours before they are compared") {
  Stratum stratum{.samples = {{10, 5}, {14, 5}, {10, 5}, {14, 5}}, .segments = 1e9, .instructions = 5};
  // One by one: four squares of 4 over 3, over 4 for the mean; t(3).
  CHECK(estimate(std::span(&stratum, 1)).half_width == Approx(3.182 * 1e9 * std::sqrt(16.0 / 3 / 4)));
  // In pairs: each pair sums to nothing.
  stratum.batches = 2;
  CHECK(estimate(std::span(&stratum, 1)).half_width == Approx(0).margin(1e-3));
  // Pairs that differ: sums of -4 and 4; 32 / 4 * 2 / 1 is a sample's variance, a quarter of it the mean's; t(1).
  stratum.samples = {{10, 5}, {10, 5}, {14, 5}, {14, 5}};
  CHECK(estimate(std::span(&stratum, 1)).half_width == Approx(12.706 * 1e9 * std::sqrt(16.0 / 4)));
}

TEST_CASE("strata add up, and so do their variances and degrees of freedom") {
  Stratum strata[] = {{.samples = {{10, 5}, {14, 5}}, .segments = 1e6, .instructions = 5},
                      {.samples = {{30, 9}, {34, 9}}, .segments = 1e6, .instructions = 9}};
  Estimate result = estimate(strata);
  CHECK(result.cycles == Approx(12e6 + 32e6));
  CHECK(result.half_width == Approx(4.303 * 1e6 * std::sqrt(4.0 + 4)).epsilon(1e-4));
}

TEST_CASE("Student's t is that of the tables") {
  CHECK(student_t(1) == 12.706);
  CHECK(student_t(9) == 2.262);
  CHECK(student_t(30) == 2.042);
  CHECK(student_t(60) == Approx(2.000).margin(0.002));
  CHECK(student_t(120) == Approx(1.980).margin(0.002));
  CHECK(student_t(100000) == Approx(1.960).margin(0.001));
}

TEST_CASE("the interval holds the truth in 95 of 100 made-up launches") {
  // 400 segments of 900 to 1100 instructions; 500 cycles and 2 per instruction, give or take 10 %; one in each row of
  // 20 is sampled.
  SplitMix64 random(7);
  int covered = 0;
  constexpr int kTrials = 2000;
  for (int trial = 0; trial < kTrials; ++trial) {
    Stratum stratum;
    stratum.segments = 400;
    stratum.batches = trial % 2 == 0 ? 10 : 0;
    double truth = 0;
    for (int row = 0; row < 20; ++row) {
      uint64_t chosen = random.below(20);
      for (uint64_t i = 0; i < 20; ++i) {
        double instructions = 900 + 200 * random.uniform();
        double cycles = (500 + instructions * 2) * (0.9 + 0.2 * random.uniform());
        truth += cycles;
        stratum.instructions += instructions / 400;
        if (i == chosen) stratum.samples.push_back({cycles, instructions});
      }
    }
    Estimate result = estimate(std::span(&stratum, 1));
    covered += std::abs(result.cycles - truth) <= result.half_width ? 1 : 0;
  }
  CHECK(covered > 0.93 * kTrials);
  CHECK(covered < 0.97 * kTrials);
}

}  // namespace warptime::sim
