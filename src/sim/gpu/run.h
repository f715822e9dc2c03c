// One launch, in time (the window loop of the chip) or without.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "sim/core/sm_counters.h"
#include "sim/gpu/gpu.h"
#include "sim/gpu/interval_recorder.h"
#include "sim/gpu/thread_team.h"
#include "sim/mem/memory_system.h"
#include "sim/state/launch_context.h"

namespace warptime::sim {

class SmState;

/// What session.h promises, of one kind of run.
class Run {
 public:
  virtual ~Run() = default;
  virtual bool step(Cycle until) = 0;
  virtual Cycle now() const = 0;
  virtual uint64_t ended_blocks() const = 0;
  virtual const SmState* sm(uint32_t index) const = 0;
  const std::optional<Fault>& fault() const { return fault_; }

 protected:
  std::optional<Fault> fault_;
};

/// A launch in time. What is passed must outlive the run; `statistics` are filled in at its end.
std::unique_ptr<Run> begin_timed(const LaunchContext& context, const Launch& launch, const RunOptions& options,
                                 MemorySystem& memory, ThreadTeam& team, LaunchStatistics& statistics);

/// What a sampled run needs of the timed run beneath it.
struct Recording {
  IntervalRecorder* intervals = nullptr;
  uint64_t* block_instructions = nullptr;  // by linear index in the grid, if they are to be counted
  /// More instructions than this, and the blocks that run wait for blocks that do not: the run ends with a fault.
  uint64_t most_instructions = ~uint64_t{0};
};

/// Runs the launch's blocks to their end, in time, and records parts of it; all that was counted is in `counters`, its
/// time in `cycles`.
std::optional<Fault> run_recorded(const LaunchContext& context, const Launch& launch, const RunOptions& options,
                                  MemorySystem& memory, ThreadTeam& team, const Recording& recording,
                                  ChipCounters& counters, Cycle& cycles);

/// What a functional run can say beyond its statistics.
struct FunctionalDetail {
  SmCounters counters{0, false};             // of all SMs
  std::vector<uint64_t> block_instructions;  // warp instructions, by position in the order of launch
};

/// A launch without time: values only, in rounds.
std::unique_ptr<Run> begin_functional(const LaunchContext& context, const Launch& launch, const RunOptions& options,
                                      DeviceMemory& memory, ThreadTeam& team, LaunchStatistics& statistics,
                                      FunctionalDetail* detail = nullptr);
/// The same to its end.
std::optional<Fault> run_functional(const LaunchContext& context, const Launch& launch, const RunOptions& options,
                                    DeviceMemory& memory, ThreadTeam& team, LaunchStatistics& statistics,
                                    FunctionalDetail* detail = nullptr);

}  // namespace warptime::sim
