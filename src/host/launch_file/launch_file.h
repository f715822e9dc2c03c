// A launch file: YAML that describes buffers and the PTX kernels to run on them, for users who do not write C++.
// Strict: unknown keys are errors with file, line, column and caret.
#pragma once

#include <string>
#include <vector>

#include "host/launch_file/launch_plan.h"

namespace warptime::host {

/// Reads the file and all files that it names. Throws InputError with all errors. `where`: position of the file's name,
/// if it is an argument. `parameters`: "NAME=VALUE", in place of the defaults of `params`; `places`: of each in another
/// file; empty: they are options.
LaunchPlan load_launch_file(const std::string& path, SourceSpan where = {},
                            const std::vector<std::string>& parameters = {},
                            const std::vector<SettingPlace>& places = {});

}  // namespace warptime::host
