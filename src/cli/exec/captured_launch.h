// `warptime explain -- PROGRAM` and its like: one launch of a CUDA program is captured as a launch file
// (cuda/capture.h), which the command then has as its target.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/cli.h"

namespace warptime::cli {

/// --program-launch.
Option program_launch_option();
/// The launch exists, as files, as long as this does.
class CapturedLaunch {
 public:
  /// Runs the program behind "--".
  CapturedLaunch(const Entry& command, const Arguments& arguments);
  ~CapturedLaunch();
  CapturedLaunch(const CapturedLaunch&) = delete;
  CapturedLaunch& operator=(const CapturedLaunch&) = delete;

  /// The command line without what is the program's, and with the launch file in its place; nullopt: there is no
  /// launch.
  const std::optional<Arguments>& arguments() const { return with_launch_; }
  /// Which launch it is, as a line; or why there is none.
  const std::string& found() const { return found_; }
  const std::string& problem() const { return problem_; }
  int status() const { return status_; }

 private:
  class Folder;
  std::unique_ptr<Folder> folder_;
  std::string found_, problem_;
  std::optional<Arguments> with_launch_;
  int status_ = 0;
};

/// Runs the program, then the command; returns the command's exit status.
int run_on_captured_launch(const Entry& command, const Arguments& arguments);

}  // namespace warptime::cli
