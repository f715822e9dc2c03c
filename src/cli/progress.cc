#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>

#include "base/standard_streams.h"

namespace warptime::cli {

namespace {

double seconds(std::chrono::steady_clock::duration d) { return std::chrono::duration<double>(d).count(); }

}  // namespace

std::string progress_text(unsigned launch, double share, double seconds_so_far) {
  std::string text = fmt::format("  launch {}: {} %", launch, static_cast<int>(share * 100));
  if (share < 0.01) return text;
  auto left = static_cast<long>(std::ceil(seconds_so_far / share * (1 - share)));
  if (left < 120) return text + fmt::format(", {} s left", left);
  return text + fmt::format(", {} min left", (left + 59) / 60);
}

Progress::Progress(bool enabled)
    : enabled_(enabled && isatty(STDERR_FILENO) != 0),
      start_(Clock::now()),
      launch_start_(start_),
      last_shown_(start_) {}

Progress::~Progress() { clear(); }

void Progress::update(double share) {
  if (!enabled_) return;
  Clock::time_point now = Clock::now();
  if (share < last_share_) {
    ++launch_;
    launch_start_ = now;
  }
  last_share_ = share;
  if (seconds(now - start_) < 2 || seconds(now - last_shown_) < 0.2) return;
  last_shown_ = now;
  shown_ = true;
  // Back to the line's start, the text, and the rest of the line erased.
  print_error(fmt::format("\r{}\x1b[K", progress_text(launch_, share, seconds(now - launch_start_))));
}

void Progress::clear() {
  if (!shown_) return;
  shown_ = false;
  print_error("\r\x1b[K");
}

CountProgress::CountProgress(bool enabled, std::string_view what, size_t all, size_t before)
    : enabled_(enabled && isatty(STDERR_FILENO) != 0), what_(what), all_(all), before_(before), start_(Clock::now()) {}

void CountProgress::update(size_t ended) {
  if (!enabled_ || ended == 0) return;
  double each = seconds(Clock::now() - start_) / static_cast<double>(ended);
  double left = each * static_cast<double>(all_ - before_ - ended);
  print_error(fmt::format("\r  {} of {} {}, {:.0f} s left\x1b[K", before_ + ended, all_, what_, std::ceil(left)));
}

void CountProgress::clear() {
  if (enabled_) print_error("\r\x1b[K");
}

}  // namespace warptime::cli
