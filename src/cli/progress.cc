#include "cli/progress.h"

#include <fmt/format.h>

namespace warptime::cli {

std::string progress_text(uint64_t launch, const sim::RunMoment& moment, double seconds_so_far) {
  std::string text = fmt::format("  launch {}: ", launch);
  if (moment.blocks != 0) text += fmt::format("{} of {} blocks, ", moment.ended_blocks, moment.blocks);
  text += fmt::format("{} %", static_cast<int>(moment.share * 100));
  if (moment.share < 0.01 || moment.is_end) return text;
  return text + fmt::format(", {} left", duration_text(seconds_so_far / moment.share * (1 - moment.share)));
}

void Progress::begin_run(std::string name) {
  run_ = std::move(name);
  launch_ = 1;
  launch_start_ = line_.now();
}

void Progress::progress(const sim::RunMoment& moment) {
  if (line_.is_due()) {
    std::string text = progress_text(launch_, moment, line_.now() - launch_start_);
    line_.show(run_.empty() ? text : fmt::format("  {},{}", run_, text.substr(1)));
  }
  if (!moment.is_end) return;
  ++launch_;
  launch_start_ = line_.now();
}

std::string count_text(std::string_view what, size_t ended, size_t all, size_t before, double seconds_so_far) {
  std::string text = fmt::format("  {} of {} {}", before + ended, all, what);
  if (ended == 0) return text;
  double each = seconds_so_far / static_cast<double>(ended);
  return text + fmt::format(", {} left", duration_text(each * static_cast<double>(all - before - ended)));
}

void CountProgress::update(size_t ended) {
  if (line_.is_due()) line_.show(count_text(what_, ended, all_, before_, line_.now() - line_.start()));
}

}  // namespace warptime::cli
