#include "debug/replay/launch_replay.h"

#include <utility>

namespace warptime::debug {

LaunchReplay::LaunchReplay(sim::Gpu& gpu, const sim::Launch& launch, const sim::RunOptions& options,
                           sim::LaunchProbe& probe)
    : LaunchListener({.prints = options.needs().prints, .probe = &probe}),
      output_(options.listener),
      session_(begin(gpu, launch, options)) {
  store_.keep(session_);
}

sim::Session LaunchReplay::begin(sim::Gpu& gpu, const sim::Launch& launch, sim::RunOptions options) {
  options.threads = 1;
  options.listener = this;
  return gpu.begin(launch, std::move(options), statistics_);
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
