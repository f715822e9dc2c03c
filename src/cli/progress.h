// What a progress line says: of simulated launches, and of a number of tasks.
#pragma once

#include <string>
#include <string_view>

#include "cli/progress_line.h"
#include "sim/gpu/gpu.h"

namespace warptime::cli {

/// "  launch 2: 29 of 64 blocks, 45 %, 12 s left": the time that the rest of the launch takes, from 1 % on.
std::string progress_text(uint64_t launch, const sim::RunMoment& moment, double seconds_so_far);

/// The launches of a run, or of several runs.
class Progress final : public sim::LaunchListener {
 public:
  explicit Progress(bool enabled, ProgressDisplay display = ProgressDisplay::standard_error())
      : LaunchListener({.progress = true}), line_(enabled, std::move(display)), launch_start_(line_.start()) {}

  /// The next of several runs, with its name: "what-if 2 of 5".
  void begin_run(std::string name);
  void progress(const sim::RunMoment& moment) override;
  void clear() { line_.clear(); }

 private:
  ProgressLine line_;
  std::string run_;
  uint64_t launch_ = 1;
  double launch_start_;
};

/// "  3 of 12 points, 40 s left": the time from the first one on that has ended.
std::string count_text(std::string_view what, size_t ended, size_t all, size_t before, double seconds_so_far);

/// A number of tasks.
class CountProgress {
 public:
  /// `before`: done by an earlier run of the program.
  CountProgress(bool enabled, std::string_view what, size_t all, size_t before = 0,
                ProgressDisplay display = ProgressDisplay::standard_error())
      : line_(enabled, std::move(display)), what_(what), all_(all), before_(before) {}

  /// To be called also while none ends.
  void update(size_t ended);
  void clear() { line_.clear(); }

 private:
  ProgressLine line_;
  std::string what_;
  size_t all_, before_;
};

}  // namespace warptime::cli
