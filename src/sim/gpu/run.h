// One launch, with timing (the window loop of the chip) or functional.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sim/core/sm_counters.h"
#include "sim/gpu/block_scheduler.h"
#include "sim/gpu/gpu.h"
#include "sim/gpu/interval_recorder.h"
#include "sim/gpu/session.h"
#include "sim/gpu/thread_team.h"
#include "sim/mem/memory_system.h"
#include "sim/state/launch_context.h"

namespace warptime {
class StateReader;
class StateWriter;
}  // namespace warptime

namespace warptime::sim {

/// The interface of session.h for one kind of run.
class Run {
 public:
  virtual ~Run() = default;
  virtual bool step(Cycle until) = 0;
  virtual bool step_within(Cycle until, Cycle) { return step(until); }
  virtual Cycle now() const = 0;
  virtual uint64_t ended_blocks() const = 0;
  virtual const SmState* sm(uint32_t index) const = 0;
  virtual std::optional<SmTimes> times(uint32_t) const { return std::nullopt; }
  const std::optional<Fault>& fault() const { return fault_; }
  /// Why its state cannot be saved, in words; empty: it can.
  virtual std::string_view why_not_saved() const = 0;
  /// Saves a run that has not ended; the bytes of device memory are not part of it.
  virtual void save(StateWriter& archive) = 0;
  /// Into a run of the same launch that has just begun.
  virtual void restore(StateReader& archive) = 0;

 protected:
  std::optional<Fault> fault_;
};

/// The blocks of a launch.
inline Grid grid_of(const Launch& launch, const LaunchContext& context) {
  return {uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2], launch.blocks, context.blocks_per_sm,
          context.need, context.cluster_blocks};
}

/// A launch of a timed run.
struct TimedLaunch {
  const LaunchContext* context = nullptr;  // `number`: its index among the launches of the run
  const Launch* launch = nullptr;
  LaunchStatistics* statistics = nullptr;  // filled in at its end
  Cycle arrival = 0;                       // it may begin from here on,
  std::vector<uint32_t> after = {};        // when these launches of the run, all before it, have ended
  Cycle begin = 0, end = 0;                // results
};

/// Launches with timing, of which as many run at the same time as the machine can (`chip.concurrent_kernels`). The
/// arguments must outlive the run. With several launches, `options` has none that follow a single one: no trace, no
/// probe, no log of blocks, no intervals.
std::unique_ptr<Run> begin_timed(std::span<TimedLaunch> launches, const RunOptions& options, MemorySystem& memory,
                                 ThreadTeam& team);

/// A timed run has ended without a fault: what the next launch finds in caches and DRAM, where the machine keeps it.
void leave_contents(const Run& run, std::span<const LaunchContext> launches, MemorySystem& memory);

/// The options of a timed run that a sampled run uses.
struct Recording {
  IntervalRecorder* intervals = nullptr;
  uint64_t* block_instructions = nullptr;  // by linear index in the grid; nullptr: not counted
  /// If the run executes more instructions than this, its blocks wait for blocks that are not timed: it ends with a
  /// fault.
  uint64_t most_instructions = ~uint64_t{0};
};

/// Runs the launch's blocks to their end with timing and records parts of it; `counters` has all counts, `cycles` the
/// time.
std::optional<Fault> run_recorded(const LaunchContext& context, const Launch& launch, const RunOptions& options,
                                  MemorySystem& memory, ThreadTeam& team, const Recording& recording,
                                  ChipCounters& counters, Cycle& cycles);

/// Results of a functional run besides its statistics.
struct FunctionalDetail {
  SmCounters counters{0, false};             // of all SMs
  std::vector<uint64_t> block_instructions;  // warp instructions, by position in the order of launch
};

/// A functional launch: values only, in rounds.
std::unique_ptr<Run> begin_functional(const LaunchContext& context, const Launch& launch, const RunOptions& options,
                                      DeviceMemory& memory, ThreadTeam& team, LaunchStatistics& statistics,
                                      FunctionalDetail* detail = nullptr);
/// Runs it to its end.
std::optional<Fault> run_functional(const LaunchContext& context, const Launch& launch, const RunOptions& options,
                                    DeviceMemory& memory, ThreadTeam& team, LaunchStatistics& statistics,
                                    FunctionalDetail* detail = nullptr);

}  // namespace warptime::sim
