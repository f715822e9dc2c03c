// From what the samples of a launch took to what all of it takes, with a 95 % interval.
//
// The launch is start + middle + end; start and end were timed as they are. The middle is made of segments, N_h of them
// in stratum h, that execute C_h instructions on average. Samples took t_k cycles for i_k instructions; a line through
// them, t = a + b i, says what the segments take: N_h (a + b C_h), the regression estimator (Cochran, Sampling
// Techniques, 3rd edition, 7.1 to 7.3). What samples deviate from the line says how far off that may be; samples that
// follow one another are summed to batches first, because neighbours may have a mood in common (batch means: Law and
// Kelton, Simulation Modeling and Analysis, 9.5.3).
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
  std::vector<Measured> samples = {};  // in the order in which they ran
  double segments = 0;                 // that it stands for, the samples among them
  double instructions = 0;             // of one, on average
  uint32_t batches = 0;                // into which to sum the samples; 0: each is one
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
