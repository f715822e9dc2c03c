// The estimator of sampled launches, on numbers small enough to work out, and its interval on many made-up launches.
#include "sim/gpu/sample_estimate.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "base/random.h"

namespace warptime::sim {

TEST_CASE("the middle of a launch takes its instructions times the samples' cycles an instruction") {
  // 24 cycles for 10 instructions; the stratum has 100.
  Stratum stratum{.samples = {{10, 5}, {14, 5}}, .instructions = 100};
  Estimate result = estimate(std::span(&stratum, 1));
  CHECK(result.cycles == Approx(240));
  // Deviations -2 and 2: their sum's variance is 8 * 2/1 = 16, times (100/10)^2 is 40^2; t(1) is 12.706.
  CHECK(result.half_width == Approx(12.706 * 40));
  // Three quarters of the segments are known: a quarter of the variance is left, half the width.
  stratum.sampled_share = 0.75;
  CHECK(estimate(std::span(&stratum, 1)).half_width == Approx(12.706 * 20));
  // All of them: nothing is unknown.
  stratum.sampled_share = 1;
  CHECK(estimate(std::span(&stratum, 1)).half_width == 0);
}

TEST_CASE("samples with more instructions weigh more, and only deviations from the common rate count") {
  Stratum stratum{.samples = {{20, 10}, {200, 100}, {2, 1}}, .instructions = 1000};
  Estimate result = estimate(std::span(&stratum, 1));
  CHECK(result.cycles == Approx(2000));
  CHECK(result.half_width == Approx(0).margin(1e-9));
}

TEST_CASE("batches sum neighbours before they are compared") {
  Stratum stratum{.samples = {{10, 5}, {14, 5}, {10, 5}, {14, 5}}, .instructions = 200};
  // One by one: four squares of 4, times 4/3; expansion 10; t(3).
  CHECK(estimate(std::span(&stratum, 1)).half_width == Approx(3.182 * 10 * std::sqrt(16.0 * 4 / 3)));
  // In pairs: each pair sums to nothing.
  stratum.batches = 2;
  CHECK(estimate(std::span(&stratum, 1)).half_width == Approx(0).margin(1e-9));
  // Pairs that differ: sums of -4 and 4, 32 * 2/1 = 8^2; t(1).
  stratum.samples = {{10, 5}, {10, 5}, {14, 5}, {14, 5}};
  CHECK(estimate(std::span(&stratum, 1)).half_width == Approx(12.706 * 10 * 8));
}

TEST_CASE("strata add up, and so do their variances and degrees of freedom") {
  Stratum strata[] = {{.samples = {{10, 5}, {14, 5}}, .instructions = 100},
                      {.samples = {{30, 5}, {34, 5}}, .instructions = 10}};
  Estimate result = estimate(strata);
  CHECK(result.cycles == Approx(240 + 64));
  CHECK(result.half_width == Approx(4.303 * std::sqrt(1600.0 + 16)));
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
  // 400 segments of 900 to 1100 instructions at 2 cycles, give or take 10 %; 20 are sampled, one in each row of 20.
  SplitMix64 random(7);
  int covered = 0;
  constexpr int kTrials = 2000;
  for (int trial = 0; trial < kTrials; ++trial) {
    Stratum stratum{.sampled_share = 20.0 / 400, .batches = 10};
    double truth = 0;
    for (int row = 0; row < 20; ++row) {
      uint64_t chosen = random.below(20);
      for (uint64_t i = 0; i < 20; ++i) {
        double instructions = 900 + 200 * random.uniform(), cycles = instructions * 2 * (0.9 + 0.2 * random.uniform());
        truth += cycles;
        stratum.instructions += instructions;
        if (i == chosen) stratum.samples.push_back({cycles, instructions});
      }
    }
    Estimate result = estimate(std::span(&stratum, 1));
    covered += std::abs(result.cycles - truth) <= result.half_width ? 1 : 0;
  }
  CHECK(covered > 0.935 * kTrials);
  CHECK(covered < 0.965 * kTrials);
}

}  // namespace warptime::sim
