// The limits of the machine beside what the kernels reach: occupancy over its three causes, and the roofline (Williams,
// Waterman, Patterson 2009) with a point for each kernel.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "sim/model/machine.h"

namespace warptime::report {

/// By kernel, of its first launch: warps per SM over registers per thread, shared bytes and threads per block; the
/// other two are the launch's. `launches`: as in a statistics file.
nlohmann::ordered_json occupancy_curves(const nlohmann::ordered_json& launches, const sim::MachineConfig& machine);

/// Peaks of the machine; by kernel flops per byte of DRAM traffic and GFLOP/s, over its launches. A kernel without
/// flops or DRAM traffic has no point.
nlohmann::ordered_json roofline(const nlohmann::ordered_json& launches, const sim::MachineConfig& machine);

}  // namespace warptime::report
