// Follows the launches that Python runs: keeps what device code prints, and asks whether a signal ends the run.
#pragma once

#include <chrono>
#include <csignal>
#include <functional>
#include <string>

#include "sim/gpu/gpu.h"
#include "sim/gpu/launch_listener.h"

namespace warptime::python {

class Follower final : public sim::LaunchListener {
 public:
  /// `interrupted`: called several times per second while a launch runs; true: the run shall end, and `flag` is set.
  Follower(std::function<bool()> interrupted, sim::InterruptFlag& flag, std::string& output)
      : LaunchListener({.prints = true, .progress = true}),
        interrupted_(std::move(interrupted)),
        flag_(flag),
        output_(output) {}
  void printed(std::string_view text) override { output_ += text; }
  void progress(const sim::RunMoment&) override {
    // Python handles signals between two of its own steps: a pause that nobody notices, and costs nothing.
    constexpr std::chrono::milliseconds kBetweenPolls{50};
    if (flag_ != 0 || Clock::now() - polled_ < kBetweenPolls) return;
    polled_ = Clock::now();
    if (interrupted_()) flag_ = SIGINT;
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::function<bool()> interrupted_;
  sim::InterruptFlag& flag_;
  std::string& output_;
  Clock::time_point polled_ = Clock::now();
};

}  // namespace warptime::python
