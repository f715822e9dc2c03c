// One line on a terminal while a run takes longer than two seconds: how much of the present launch is done and how long
// the rest will take. Cleared when the run ends; nothing at all when standard error is not a terminal.
#pragma once

#include <chrono>
#include <string>

namespace warptime::cli {

/// What the line says: "  launch 2: 45 %, 12 s left". No time is foretold before 1 % is done.
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

/// One line on a terminal: how many of so many pieces of work are done, and how long the rest will take.
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
