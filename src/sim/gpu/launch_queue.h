// The launches of a timed run: when each may begin, and how many run at the same time (`chip.concurrent_kernels`). They
// begin and end at edges of windows, so that the step does not matter. A run of one launch begins it at cycle 0 and
// does not look here again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/gpu/run.h"
#include "sim/model/machine.h"
#include "sim/model/queue_use.h"

namespace warptime::sim {

class LaunchQueue {
 public:
  LaunchQueue(const ChipConfig& chip, std::span<TimedLaunch> launches);

  bool several() const { return launches_.size() > 1; }
  const TimedLaunch& operator[](uint32_t launch) const { return launches_[launch]; }
  /// The first launch that runs; where none does, the first one.
  uint32_t first_running() const;
  bool any_running() const { return running_ != 0; }
  bool all_ended() const { return ended_ == launches_.size(); }
  /// Whether a kernel makes calls of the runtime.
  bool call_runtime() const;

  /// Calls f(launch) for those that may begin at the edge `now`, in order; all of them begin.
  template <class F>
  void arrivals(Cycle now, const F& f) {
    for (uint32_t launch = 0; launch < launches_.size(); ++launch)
      if (may_begin(launch, now)) {
        states_[launch].running = true;
        ++running_;
        f(launch);
      }
  }
  /// The next edge at which one may begin that waits for nothing but the time; kNever: there is none.
  Cycle next_arrival() const;

  /// `queues`: of the chip, when it begins, and when it ends. Returns the difference.
  void begins(uint32_t launch, Cycle now, const QueueStats& queues);
  QueueStats ends(uint32_t launch, Cycle now, QueueStats queues);
  template <class F>
  void for_each_running(const F& f) const {
    for (uint32_t launch = 0; launch < launches_.size(); ++launch)
      if (states_[launch].running) f(launch);
  }

 private:
  struct State {
    bool running = false, ended = false;
    QueueStats before;  // when it began
  };
  bool waits(uint32_t launch) const;
  bool may_begin(uint32_t launch, Cycle now) const;

  std::span<TimedLaunch> launches_;
  std::vector<State> states_;
  uint32_t most_running_, running_ = 0;
  size_t ended_ = 0;
  Cycle window_;
};

}  // namespace warptime::sim
