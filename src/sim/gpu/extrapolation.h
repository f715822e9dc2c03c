// Extrapolates from the measured parts of a launch (gpu/sample_plan.h) to the whole: cycles with their interval
// (gpu/sample_estimate.h), and counters.
#pragma once

#include "sim/gpu/sample_estimate.h"
#include "sim/gpu/sample_plan.h"

namespace warptime::sim {

/// Time of the launch. `instructions`: warp instructions of all its blocks. Every interval has seen some.
Estimate launch_cycles(const SamplePlan& plan, std::span<const Interval> measured, double instructions);

/// Counters of the launch: start, end, and each stratum's samples scaled to the stratum. Consumes the recorder's
/// counters.
ChipCounters launch_counters(const SamplePlan& plan, IntervalRecorder& recorder, double instructions);

}  // namespace warptime::sim
