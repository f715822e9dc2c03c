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

}  // namespace warptime::cli
