// A line on standard error that says how far a long command is. On a terminal it is shown after two seconds, renewed in
// place, and erased at the end. Elsewhere a line is added every half minute, so that a log stays short.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace warptime::cli {

/// Where lines go, and when, in seconds; tests have their own.
struct ProgressDisplay {
  bool is_terminal = false;
  std::function<double()> clock;  // seconds
  std::function<void(std::string_view)> write;
  double first = 2, renewed = 0.2;  // on a terminal
  double added = 30;                // elsewhere
  double watched = 1;               // of --watch

  static ProgressDisplay standard_error();
};

class ProgressLine {
 public:
  explicit ProgressLine(bool enabled, ProgressDisplay display = ProgressDisplay::standard_error());
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  double now() const { return display_.clock(); }
  double start() const { return start_; }
  /// Whether it is time for a line.
  bool is_due() const;
  void show(std::string_view text);
  /// Before other output to a terminal.
  void clear();

 private:
  ProgressDisplay display_;
  bool enabled_;
  bool shown_ = false;
  double start_, last_shown_;
};

/// "12 s", "4 min", "3 h".
std::string duration_text(double seconds);

}  // namespace warptime::cli
