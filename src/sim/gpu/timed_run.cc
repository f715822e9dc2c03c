// Which build of a timed launch the options need.
#include "sim/gpu/timed_run_launches.h"

namespace warptime::sim {

namespace {

/// Calls f with a null pointer to the run that the options need.
template <class F>
auto with_policy(const RunOptions& options, const Recording& recording, const F& f) {
  if (recording.block_instructions != nullptr) return f(static_cast<TimedRun<Counted>*>(nullptr));
  if (options.trace != nullptr) return f(static_cast<TimedRun<Traced>*>(nullptr));
  if (options.probe != nullptr) return f(static_cast<TimedRun<Probed>*>(nullptr));
  if (options.attribution) return f(static_cast<TimedRun<Attributed>*>(nullptr));
  return f(static_cast<TimedRun<Unattributed>*>(nullptr));
}

}  // namespace

std::unique_ptr<Run> begin_timed(std::span<TimedLaunch> launches, const RunOptions& options, MemorySystem& memory,
                                 ThreadTeam& team) {
  for (const TimedLaunch& launch : launches) {
    launch.statistics->timed = true;
    launch.statistics->attributed = options.attribution || options.trace != nullptr || options.probe != nullptr;
  }
  return with_policy(options, {}, [&]<class Timed>(Timed*) -> std::unique_ptr<Run> {
    return std::make_unique<Timed>(launches, options, memory, team, Recording{});
  });
}

std::optional<Fault> run_recorded(const LaunchContext& context, const Launch& launch, const RunOptions& options,
                                  MemorySystem& memory, ThreadTeam& team, const Recording& recording,
                                  ChipCounters& counters, Cycle& cycles) {
  return with_policy(options, recording, [&]<class Timed>(Timed*) {
    TimedLaunch only{.context = &context, .launch = &launch};
    Timed timed(std::span(&only, 1), options, memory, team, recording);
    timed.step(kNever);
    counters = timed.finish(cycles);
    return timed.fault();
  });
}

}  // namespace warptime::sim
