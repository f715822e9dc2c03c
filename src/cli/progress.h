// A progress line on a terminal for runs of more than two seconds: the finished share of the present launch and the
// remaining time. Cleared when the run ends; not shown if standard error is not a terminal.
#pragma once

#include <chrono>
#include <string>

namespace warptime::cli {

/// The text of the line: " launch 2: 45 %, 12 s left". Without a time before 1 % is finished.
std::string progress_text(unsigned launch, double share, double seconds_so_far);

class Progress {
 public:
  explicit Progress(bool enabled);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// The finished share of the present launch, 0 to 1. A smaller share than before is the next launch.
  void update(double share);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  bool enabled_;
  bool shown_ = false;
  unsigned launch_ = 1;
  double last_share_ = 0;
  Clock::time_point start_, launch_start_, last_shown_;
};

/// A progress line for a number of tasks: the number of finished ones, and the remaining time.
class CountProgress {
 public:
  /// `before`: done by an earlier run of the program.
  CountProgress(bool enabled, std::string_view what, size_t all, size_t before = 0);
  ~CountProgress() { clear(); }
  CountProgress(const CountProgress&) = delete;
  CountProgress& operator=(const CountProgress&) = delete;

  void update(size_t ended);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  bool enabled_;
  std::string what_;
  size_t all_, before_;
  Clock::time_point start_;
};

}  // namespace warptime::cli
