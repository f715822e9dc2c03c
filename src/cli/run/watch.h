// `run --watch`: one line per second with what the launch did since the line before.
#pragma once

#include <optional>
#include <string>

#include "cli/progress_line.h"
#include "sim/gpu/gpu.h"

namespace warptime::cli {

/// "  launch 1, kernel k: cycle 1,200,000, 0.40 million warp instr./s, 12 of 64 blocks; issued 53 %, sp_busy 20 %":
/// `since` is what happened in the `seconds` before `moment`; the largest shares of its issue slots are first, those
/// below a percent are left out.
std::string watch_text(uint64_t launch, const sim::RunMoment& moment, const sim::RunCounts& since, double seconds);

class Watch final : public sim::LaunchListener {
 public:
  explicit Watch(ProgressDisplay display = ProgressDisplay::standard_error())
      : LaunchListener({.progress = true}), display_(std::move(display)), last_shown_(display_.clock()) {}
  void progress(const sim::RunMoment& moment) override;

 private:
  ProgressDisplay display_;
  double last_shown_;
  uint64_t launch_ = 1;
  sim::RunCounts ended_;    // of launches that have ended since the last line
  sim::RunCounts at_line_;  // of the running launch, at the last line
};

}  // namespace warptime::cli
