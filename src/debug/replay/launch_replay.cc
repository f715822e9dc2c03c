#include "debug/replay/launch_replay.h"

namespace warptime::debug {

LaunchReplay::LaunchReplay(sim::Gpu& gpu, const sim::Launch& launch, const sim::RunOptions& options,
                           sim::LaunchProbe& probe)
    : gpu_(gpu), launch_(launch), options_(options), at_begin_(gpu.memory(), launch.heap) {
  options_.drive = {};
  options_.threads = 1;
  options_.probe = &probe;
  if (options.print)
    options_.print = [this, print = options.print](std::string_view text) {
      if (!has_printed_) print(text);
    };
  begin();
}

void LaunchReplay::begin() {
  session_.reset();
  statistics_ = {};
  session_ = gpu_.begin(launch_, options_, statistics_);
  ended_ = false;
}

void LaunchReplay::step(Cycle limit) {
  if (ended_ || now() >= limit) return;
  ended_ = !session_->step_within(now() + 1, limit);
  has_printed_ |= ended_;
}

void LaunchReplay::go_to(Cycle cycle) {
  if (cycle < now() || (ended_ && cycle != now())) {
    at_begin_.restore();
    begin();
  }
  if (cycle <= now() || ended_) return;
  ended_ = !session_->step_within(cycle, cycle);
  has_printed_ |= ended_;
}

}  // namespace warptime::debug
