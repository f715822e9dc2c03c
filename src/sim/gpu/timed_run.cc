// Which build of a timed launch the options need.
#include "sim/gpu/timed_run.h"

#include "sim/mem/chip_contents.h"

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

void leave_contents(const Run& run, const LaunchContext& context, MemorySystem& memory) {
  ChipContents& contents = memory.contents();
  if (!contents.keeps_anything()) return;
  const ChipConfig& chip = context.machine->chip;
  for (uint32_t tpc = 0; tpc < chip.tpcs; ++tpc)
    if (const auto times = run.times(tpc * chip.sms_per_tpc)) times->caches->leave(contents);
  // The next launch has parameters of its own in the same places.
  contents.written(ReadKind::Constant, context.parameter_base, context.parameters.size());
  memory.leave(run.now());
}

std::unique_ptr<Run> begin_timed(const LaunchContext& context, const Launch& launch, const RunOptions& options,
                                 MemorySystem& memory, ThreadTeam& team, LaunchStatistics& statistics) {
  statistics.timed = true;
  statistics.attributed = options.attribution || options.trace != nullptr || options.probe != nullptr;
  return with_policy(options, {}, [&]<class Timed>(Timed*) -> std::unique_ptr<Run> {
    return std::make_unique<Timed>(context, launch, options, memory, team, &statistics, Recording{});
  });
}

std::optional<Fault> run_recorded(const LaunchContext& context, const Launch& launch, const RunOptions& options,
                                  MemorySystem& memory, ThreadTeam& team, const Recording& recording,
                                  ChipCounters& counters, Cycle& cycles) {
  return with_policy(options, recording, [&]<class Timed>(Timed*) {
    Timed timed(context, launch, options, memory, team, nullptr, recording);
    timed.step(kNever);
    counters = timed.finish(cycles);
    // A part of a launch leaves nothing that another launch would find.
    if (!timed.fault() && recording.intervals == nullptr) leave_contents(timed, context, memory);
    return timed.fault();
  });
}

}  // namespace warptime::sim
