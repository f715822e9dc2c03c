// Selects the blocks of a launch that a sampled run times (docs/sampling.md). They run as one launch, so that a block
// starts when an earlier one ends, as in the middle of a long launch:
//
//   start      the first waves of the grid, measured but not a sample: all blocks begin together, which is slow
//   samples    for each, a wave of warm-up (the preceding blocks of the grid), and two waves that count
//   end        a wave of warm-up, and the last waves of the grid until all blocks have ended
//
// A wave is as many blocks as the chip holds, or several times that if blocks are short. The part between start and end
// is divided into segments, and samples are whole segments at seeded positions: one from each group of consecutive
// segments of equal number. If blocks differ by more than 5 % in instructions, this is done within each stratum of
// segments with similar counts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/gpu/interval_recorder.h"

namespace warptime::sim {

/// Blocks of a launch whose instruction counts differ by more than this (maximum / minimum - 1) are not alike.
inline constexpr double kSameInstructions = 0.05;

struct SamplePlan {
  static constexpr uint32_t kStartWaves = 6;
  static constexpr uint32_t kEndWaves = 2;
  static constexpr uint32_t kSampleWaves = 2;
  static constexpr uint32_t kLeastSamples = 10;
  static constexpr uint32_t kUsualSamples = 20;
  static constexpr uint32_t kMostSamples = 100;
  static constexpr uint32_t kStrata = 4;

  std::vector<uint64_t> blocks;     // the timed ones, as numbers in the order of launch, ascending
  std::vector<Interval> intervals;  // the start (part 0), the samples (part 1 + stratum), the end (the last part)
  std::vector<uint64_t> segments;   // by stratum
  std::vector<double> weight;       // by stratum: its share of the instructions between start and end

  uint32_t strata() const { return static_cast<uint32_t>(weight.size()); }
  uint32_t parts() const { return strata() + 2; }

  /// The largest number of samples if at most half of the launch is timed; 0: too few segments for the minimum.
  static uint32_t most_samples(uint64_t blocks, uint64_t wave);
  /// `instructions`: of each block; empty: all the same. `samples` at most as above.
  static SamplePlan make(uint64_t blocks, uint64_t wave, uint32_t samples, std::span<const uint64_t> instructions,
                         uint64_t seed);
};

/// How much the counts differ: maximum / minimum - 1; 0 if empty.
double spread(std::span<const uint64_t> counts);

}  // namespace warptime::sim
