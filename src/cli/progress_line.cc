#include "cli/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cmath>

#include "base/standard_streams.h"

namespace warptime::cli {

ProgressDisplay ProgressDisplay::standard_error() {
  return {.is_terminal = isatty(STDERR_FILENO) != 0,
          .clock =
              [] { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); },
          .write = [](std::string_view text) { print_error(text); }};
}

ProgressLine::ProgressLine(bool enabled, ProgressDisplay display)
    : display_(std::move(display)), enabled_(enabled), start_(display_.clock()), last_shown_(start_) {}

bool ProgressLine::is_due() const {
  if (!enabled_) return false;
  double at = now();
  if (!display_.is_terminal) return at - last_shown_ >= display_.added;
  return at - start_ >= display_.first && at - last_shown_ >= display_.renewed;
}

void ProgressLine::show(std::string_view text) {
  last_shown_ = now();
  if (!display_.is_terminal) return display_.write(fmt::format("{}\n", text));
  shown_ = true;
  // Back to the line's start, the text, and the rest of the line erased.
  display_.write(fmt::format("\r{}\x1b[K", text));
}

void ProgressLine::clear() {
  if (!shown_) return;
  shown_ = false;
  display_.write("\r\x1b[K");
}

std::string duration_text(double seconds) {
  auto whole = static_cast<long>(std::ceil(seconds));
  if (whole < 120) return fmt::format("{} s", whole);
  if (whole < 7200) return fmt::format("{} min", (whole + 59) / 60);
  return fmt::format("{} h", (whole + 3599) / 3600);
}

}  // namespace warptime::cli
