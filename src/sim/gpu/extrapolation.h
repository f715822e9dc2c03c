// From the parts of a launch that were measured (gpu/sample_plan.h) to all of it: cycles with their interval
// (gpu/sample_estimate.h), and what all of it counted.
#pragma once

#include "sim/gpu/sample_estimate.h"
#include "sim/gpu/sample_plan.h"

namespace warptime::sim {

/// Time of the launch. `instructions`: warp instructions of all its blocks. Every interval has seen some.
Estimate launch_cycles(const SamplePlan& plan, std::span<const Interval> measured, double instructions);

/// Counters of the launch: start, end, and each stratum's samples times what they stand for. Uses up the recorder's.
ChipCounters launch_counters(const SamplePlan& plan, IntervalRecorder& recorder, double instructions);

}  // namespace warptime::sim
