// Which build of a timed launch the options need.
#include "sim/gpu/timed_run_clusters.h"
#include "sim/gpu/timed_run_launches.h"
#include "sim/mem/chip_contents.h"

namespace warptime::sim {

namespace {

/// Calls f with a null pointer to the run that the options need.
template <class F>
auto with_policy(const RunOptions& options, const Recording& recording, const F& f) {
  const LaunchNeeds needs = options.needs();
  if (recording.block_instructions != nullptr) return f(static_cast<TimedRun<Counted>*>(nullptr));
  if (needs.trace != nullptr) return f(static_cast<TimedRun<Traced>*>(nullptr));
  if (needs.probe != nullptr) return f(static_cast<TimedRun<Probed>*>(nullptr));
  if (options.attribution) return f(static_cast<TimedRun<Attributed>*>(nullptr));
  return f(static_cast<TimedRun<Unattributed>*>(nullptr));
}

}  // namespace

void leave_contents(const Run& run, std::span<const LaunchContext> launches, MemorySystem& memory) {
  ChipContents& contents = memory.contents();
  if (!contents.keeps_anything()) return;
  const ChipConfig& chip = launches.front().machine->chip;
  for (uint32_t tpc = 0; tpc < chip.tpcs; ++tpc)
    if (const auto times = run.times(tpc * chip.sms_per_tpc)) times->caches->leave(contents);
  // The next launch has parameters of its own in the same places.
  for (const LaunchContext& launch : launches)
    contents.written(ReadKind::Constant, launch.parameter_base, launch.parameters.size());
  memory.leave(run.now());
}

std::unique_ptr<Run> begin_timed(std::span<TimedLaunch> launches, const RunOptions& options, MemorySystem& memory,
                                 ThreadTeam& team) {
  const LaunchNeeds needs = options.needs();
  for (const TimedLaunch& launch : launches) {
    launch.statistics->timed = true;
    launch.statistics->attributed = options.attribution || needs.trace != nullptr || needs.probe != nullptr;
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
    // A part of a launch leaves nothing that another launch would find.
    if (!timed.fault() && recording.intervals == nullptr) leave_contents(timed, std::span(&context, 1), memory);
    return timed.fault();
  });
}

}  // namespace warptime::sim
