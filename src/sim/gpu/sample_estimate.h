// Estimates the time of a launch from that of its samples, with a 95 % interval.
//
// The launch is start + middle + end; start and end are timed completely. The middle consists of segments, N_h of them
// in stratum h, which execute C_h instructions on average. Samples took t_k cycles for i_k instructions; a line through
// them, t = a + b i, gives the time of the segments: N_h (a + b C_h), the regression estimator (Cochran, Sampling
// Techniques, 3rd edition, 7.1 to 7.3). The deviations of the samples from the line give the interval; successive
// samples are first summed to batches, because neighbours may be correlated (batch means: Law and Kelton, Simulation
// Modeling and Analysis, 9.5.3).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/clock.h"

namespace warptime::sim {

/// A measurement over some time.
struct Measured {
  double cycles = 0;
  double instructions = 0;
};

struct Stratum {
  std::vector<Measured> samples = {};  // in the order in which they ran
  double segments = 0;                 // in the stratum, including the samples
  double instructions = 0;             // per segment, on average
  uint32_t batches = 0;                // into which the samples are summed; 0: each sample is a batch
};

struct Estimate {
  double cycles = 0;
  double half_width = 0;  // of the 95 % interval
};

/// Estimated cycles of all strata together.
Estimate estimate(std::span<const Stratum> strata);

/// The 97.5 % point of Student's t distribution.
double student_t(uint32_t degrees_of_freedom);

}  // namespace warptime::sim
