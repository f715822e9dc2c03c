#include "debug/replay/launch_replay.h"

#include <utility>

namespace warptime::debug {

LaunchReplay::LaunchReplay(sim::Gpu& gpu, const sim::Launch& launch, const sim::RunOptions& options,
                           sim::LaunchProbe& probe)
    : session_(begin(gpu, launch, options, probe)) {
  store_.keep(session_);
}

sim::Session LaunchReplay::begin(sim::Gpu& gpu, const sim::Launch& launch, const sim::RunOptions& options,
                                 sim::LaunchProbe& probe) {
  sim::RunOptions own = options;
  own.drive = {};
  own.threads = 1;
  own.probe = &probe;
  own.observer = nullptr;  // of functional launches
  if (options.print)
    own.print = [this, print = options.print](std::string_view text) {
      if (!has_printed_) print(text);
    };
  return gpu.begin(launch, std::move(own), statistics_);
}

void LaunchReplay::advance(Cycle until, Cycle limit) {
  ended_ = !session_.step_within(until, limit);
  has_printed_ |= ended_;
  if (!ended_) store_.keep(session_);
}

void LaunchReplay::step(Cycle limit) {
  if (!ended_ && now() < limit) advance(now() + 1, limit);
}

void LaunchReplay::restore(Cycle cycle) {
  session_.restore(store_.nearest(cycle));
  ended_ = false;
}

void LaunchReplay::go_to(Cycle cycle) {
  if (cycle < now() || (ended_ && cycle != now())) restore(cycle);
  while (!ended_ && now() < cycle) advance(std::min(cycle, std::max(store_.next(), now() + 1)), cycle);
}

Cycle LaunchReplay::go_before(Cycle cycle) {
  restore(cycle == 0 ? 0 : cycle - 1);
  return now();
}

}  // namespace warptime::debug
