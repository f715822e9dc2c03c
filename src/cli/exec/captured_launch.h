// `warptime explain -- PROGRAM` and its like: one launch of a CUDA program is captured as a launch file
// (cuda/capture.h), which the command then has as its target.
#pragma once

#include "cli/cli.h"

namespace warptime::cli {

/// --program-launch.
Option program_launch_option();
/// Runs the program, then the command; returns the command's exit status.
int run_on_captured_launch(const Entry& command, const Arguments& arguments);

}  // namespace warptime::cli
