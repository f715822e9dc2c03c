// Which blocks of a launch a sampled run times (docs/sampling.md). They run one after the other as one launch, so that
// a block starts when one before it ends, at any moment of the others' lives, as in the middle of a long launch:
//
//   start      the first waves of the grid, as they are: all blocks begin together, which is slow, and no sample
//   samples    for each, a wave of warm-up, the neighbours that its blocks would have had, and two waves that count
//   end        a wave of warm-up, and the last waves of the grid until nothing runs
//
// A wave is as many blocks as the chip holds, or several times that where blocks are short. Samples are whole segments
// of what lies between start and end, at seeded positions: one from each of equally many segments in a row, and where
// blocks differ by more than 5 % in instructions, so within each stratum of segments with like counts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/gpu/interval_recorder.h"

namespace warptime::sim {

/// Blocks of a launch that differ by more than this (the most over the least, less 1) do not execute the same.
inline constexpr double kSameInstructions = 0.05;

struct SamplePlan {
  static constexpr uint32_t kStartWaves = 6;
  static constexpr uint32_t kEndWaves = 2;
  static constexpr uint32_t kSampleWaves = 2;
  static constexpr uint32_t kLeastSamples = 10;
  static constexpr uint32_t kUsualSamples = 20;
  static constexpr uint32_t kMostSamples = 100;
  static constexpr uint32_t kStrata = 4;

  std::vector<uint64_t> blocks;     // to time, as numbers in the order of launch, ascending
  std::vector<Interval> intervals;  // the start (part 0), the samples (part 1 + stratum), the end (the last part)
  std::vector<uint64_t> segments;   // by stratum
  std::vector<double> weight;       // by stratum: its share of the instructions between start and end

  uint32_t strata() const { return static_cast<uint32_t>(weight.size()); }
  uint32_t parts() const { return strata() + 2; }

  /// The samples that a launch has room for, if at most half of it is to be timed; 0: not even for the least.
  static uint32_t most_samples(uint64_t blocks, uint64_t wave);
  /// `instructions`: of each block; empty: all the same. `samples` at most as above.
  static SamplePlan make(uint64_t blocks, uint64_t wave, uint32_t samples, std::span<const uint64_t> instructions,
                         uint64_t seed);
};

/// How much the counts differ: the most over the least, less 1; 0 of none.
double spread(std::span<const uint64_t> counts);

}  // namespace warptime::sim
