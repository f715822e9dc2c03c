#include "sim/gpu/launch_queue.h"

#include <algorithm>

namespace warptime::sim {

LaunchQueue::LaunchQueue(const ChipConfig& chip, std::span<TimedLaunch> launches)
    : launches_(launches),
      states_(launches.size()),
      most_running_(chip.concurrent_kernels),
      window_(chip.window_cycles) {}

bool LaunchQueue::call_runtime() const {
  return std::any_of(launches_.begin(), launches_.end(),
                     [](const TimedLaunch& launch) { return launch.context->kernel->calls_runtime; });
}

uint32_t LaunchQueue::first_running() const {
  auto first = std::find_if(states_.begin(), states_.end(), [](const State& state) { return state.running; });
  return first == states_.end() ? 0 : static_cast<uint32_t>(first - states_.begin());
}

/// For an earlier one to end.
bool LaunchQueue::waits(uint32_t launch) const {
  if (running_ == most_running_) return true;
  const std::vector<uint32_t>& after = launches_[launch].after;
  return std::any_of(after.begin(), after.end(), [this](uint32_t earlier) { return !states_[earlier].ended; });
}

bool LaunchQueue::may_begin(uint32_t launch, Cycle now) const {
  const State& state = states_[launch];
  return !state.running && !state.ended && launches_[launch].arrival <= now && !waits(launch);
}

Cycle LaunchQueue::next_arrival() const {
  Cycle next = kNever;
  for (uint32_t launch = 0; launch < launches_.size(); ++launch) {
    const State& state = states_[launch];
    if (state.running || state.ended || waits(launch)) continue;
    next = std::min(next, (launches_[launch].arrival + window_ - 1) / window_ * window_);
  }
  return next;
}

void LaunchQueue::begins(uint32_t launch, Cycle now, const QueueStats& queues) {
  launches_[launch].begin = now;
  states_[launch].before = queues;
}

QueueStats LaunchQueue::ends(uint32_t launch, Cycle now, QueueStats queues) {
  State& state = states_[launch];
  launches_[launch].end = std::max(now, launches_[launch].begin);
  state.running = false;
  state.ended = true;
  --running_;
  ++ended_;
  for_each_number(queues, state.before, [](auto& to, const auto& from) { to -= from; });
  return queues;
}

}  // namespace warptime::sim
