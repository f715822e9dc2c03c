// --window A:B of the commands that record a trace.
#pragma once

#include "cli/command_line.h"
#include "sim/model/trace.h"

namespace warptime::cli {

/// Sets the cycles that the log records; by default the first 100,000 of the launch.
void read_window(const Arguments& arguments, sim::TraceLog& log);

}  // namespace warptime::cli
