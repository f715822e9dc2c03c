// A timed launch at any of its cycles. Forwards it is simulated; backwards, it is restored as it was at an earlier
// cycle and simulated from there: it is deterministic, so every cycle looks as it did the first time.
#pragma once

#include <memory>
#include <optional>

#include "sim/gpu/gpu.h"
#include "sim/gpu/memory_image.h"
#include "sim/gpu/session.h"

namespace warptime::debug {

class LaunchReplay {
 public:
  /// `launch` and `options` must outlive it. `options.print` is called once, when the launch first ends.
  LaunchReplay(sim::Gpu& gpu, const sim::Launch& launch, const sim::RunOptions& options, sim::LaunchProbe& probe);

  const sim::Session& session() const { return *session_; }
  /// Everything before this cycle has happened.
  Cycle now() const { return session_->now(); }
  /// The launch has ended, or made a fault.
  bool ended() const { return ended_; }
  const std::optional<sim::Fault>& fault() const { return session_->fault(); }
  /// After the end or a fault.
  const sim::LaunchStatistics& statistics() const { return statistics_; }

  /// One step of the simulation forwards, at most to `limit`.
  void step(Cycle limit);
  /// To this cycle, or to the end if that comes first.
  void go_to(Cycle cycle);

 private:
  void begin();

  sim::Gpu& gpu_;
  const sim::Launch& launch_;
  sim::RunOptions options_;
  sim::MemoryImage at_begin_;
  sim::LaunchStatistics statistics_;
  std::optional<sim::Session> session_;
  bool ended_ = false, has_printed_ = false;
};

}  // namespace warptime::debug
