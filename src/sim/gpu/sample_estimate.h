// From what the samples of a launch took to what all of it takes, with a 95 % interval.
//
// The launch is start + middle + end; start and end were timed as they are. The middle executes I instructions, of
// which stratum h has a share I_h. Its samples took t_k cycles for i_k instructions, so it takes I_h * r_h with r_h =
// sum(t) / sum(i): the ratio estimator (Cochran, Sampling Techniques, 3rd edition, 6.11). What samples deviate from it,
// t_k - r_h i_k, says how far off the sum may be; samples that follow one another are summed to batches first, because
// neighbours may have a mood in common (batch means: Law and Kelton, Simulation Modeling and Analysis, 9.5.3).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/clock.h"

namespace warptime::sim {

/// What was measured over some time.
struct Measured {
  double cycles = 0;
  double instructions = 0;
};

struct Stratum {
  std::vector<Measured> samples;  // in the order in which they ran
  double instructions = 0;        // all that it stands for
  double sampled_share = 0;       // of its segments
  uint32_t batches = 0;           // into which to sum the samples; 0: each is one
};

struct Estimate {
  double cycles = 0;
  double half_width = 0;  // of the 95 % interval
};

/// Cycles of all strata together.
Estimate estimate(std::span<const Stratum> strata);

/// The 97.5 % point of Student's t distribution.
double student_t(uint32_t degrees_of_freedom);

}  // namespace warptime::sim
