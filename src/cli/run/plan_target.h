// A launch file, or a PTX file with its options, as a target.
#pragma once

#include <memory>

#include "cli/run/run_target.h"
#include "host/launch_file/launch_plan.h"

namespace warptime::cli {

std::unique_ptr<Target> plan_target(host::LaunchPlan plan);

}  // namespace warptime::cli
