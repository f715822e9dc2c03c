// One launch, in time (the window loop of the chip) or without.
#pragma once

#include <optional>

#include "sim/core/launch_context.h"
#include "sim/gpu/gpu.h"
#include "sim/gpu/thread_team.h"
#include "sim/mem/memory_system.h"

namespace warptime::sim {

/// Runs the launch to its end or to a fault; fills in everything of `statistics` that is counted.
std::optional<Fault> run_timed(const LaunchContext& context, const Launch& launch, const RunOptions& options,
                               MemorySystem& memory, ThreadTeam& team, LaunchStatistics& statistics);

/// The same without time: values only, in rounds.
std::optional<Fault> run_functional(const LaunchContext& context, const Launch& launch, const RunOptions& options,
                                    DeviceMemory& memory, ThreadTeam& team, LaunchStatistics& statistics);

}  // namespace warptime::sim
