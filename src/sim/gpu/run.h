// One launch, in time (the window loop of the chip) or without.
#pragma once

#include <optional>
#include <vector>

#include "sim/gpu/gpu.h"
#include "sim/gpu/interval_recorder.h"
#include "sim/gpu/thread_team.h"
#include "sim/mem/memory_system.h"
#include "sim/state/launch_context.h"

namespace warptime::sim {

/// Runs the launch to its end or to a fault; fills in everything of `statistics` that is counted.
std::optional<Fault> run_timed(const LaunchContext& context, const Launch& launch, const RunOptions& options,
                               MemorySystem& memory, ThreadTeam& team, LaunchStatistics& statistics);

/// What a sampled run wants of the timed run beneath it.
struct Recording {
  IntervalRecorder* intervals = nullptr;
  uint64_t* block_instructions = nullptr;  // by linear index in the grid, if they are to be counted
  /// More instructions than this, and the blocks that run wait for blocks that do not: the run ends with a fault.
  uint64_t most_instructions = ~uint64_t{0};
};

/// Runs the launch's blocks as run_timed does, and records parts of it; all that was counted is in `counters`, its
/// time in `cycles`.
std::optional<Fault> run_recorded(const LaunchContext& context, const Launch& launch, const RunOptions& options,
                                  MemorySystem& memory, ThreadTeam& team, const Recording& recording,
                                  ChipCounters& counters, Cycle& cycles);

/// What a functional run can say beyond its statistics.
struct FunctionalDetail {
  SmCounters counters{0, false};             // of all SMs
  std::vector<uint64_t> block_instructions;  // warp instructions, by position in the order of launch
};

/// The same without time: values only, in rounds.
std::optional<Fault> run_functional(const LaunchContext& context, const Launch& launch, const RunOptions& options,
                                    DeviceMemory& memory, ThreadTeam& team, LaunchStatistics& statistics,
                                    FunctionalDetail* detail = nullptr);

}  // namespace warptime::sim
