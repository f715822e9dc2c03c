// A timed launch at any of its cycles. Forwards it is simulated; backwards, it is restored as it was at an earlier
// cycle and simulated from there: it is deterministic, so every cycle looks as it did the first time.
#pragma once

#include <optional>

#include "debug/replay/replay_store.h"
#include "sim/gpu/gpu.h"
#include "sim/gpu/session.h"

namespace warptime::debug {

class LaunchReplay : private sim::LaunchListener {
 public:
  /// The listener of `options` receives the output of device code once, when the launch first ends, and no more.
  LaunchReplay(sim::Gpu& gpu, const sim::Launch& launch, const sim::RunOptions& options, sim::LaunchProbe& probe);
  LaunchReplay(const LaunchReplay&) = delete;
  LaunchReplay& operator=(const LaunchReplay&) = delete;

  const sim::Session& session() const { return session_; }
  /// Everything before this cycle has happened.
  Cycle now() const { return session_.now(); }
  /// The launch has ended or faulted.
  bool ended() const { return ended_; }
  const std::optional<sim::Fault>& fault() const { return session_.fault(); }
  /// After the end or a fault.
  const sim::LaunchStatistics& statistics() const { return statistics_; }
  const ReplayStore& store() const { return store_; }

  /// One step of the simulation forwards, at most to `limit`.
  void step(Cycle limit);
  /// To this cycle, or to the end if that comes first.
  void go_to(Cycle cycle);
  /// To the last kept moment before this cycle, or to the beginning. Returns its cycle.
  Cycle go_before(Cycle cycle);

 private:
  void printed(std::string_view text) override {
    if (!has_printed_) output_->printed(text);
  }
  sim::Session begin(sim::Gpu& gpu, const sim::Launch& launch, sim::RunOptions options);
  void restore(Cycle cycle);
  void advance(Cycle until, Cycle limit);

  sim::LaunchListener* output_;  // if it asks for that
  sim::LaunchStatistics statistics_;
  bool ended_ = false, has_printed_ = false;
  sim::Session session_;
  ReplayStore store_;
};

}  // namespace warptime::debug
