// A launch file: YAML that says which PTX to run on which buffers, for people who write no C++. Strict: what it does
// not know is an error with file, line, column and caret.
#pragma once

#include <string>

#include "host/launch_file/launch_plan.h"

namespace warptime::host {

/// Reads the file and everything that it names. Throws InputError with every mistake found. `where`: of the file's
/// name, if the user gave it.
LaunchPlan load_launch_file(const std::string& path, SourceSpan where = {});

}  // namespace warptime::host
