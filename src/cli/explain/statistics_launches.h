// A statistics file as launches with all the numbers that `explain` reads, one launch at a time.
#pragma once

#include <functional>
#include <string>

#include "cli/command_line.h"
#include "host/explain/explain.h"
#include "sim/model/statistics.h"

namespace warptime::cli {

/// Reads a file that read_statistics accepts. `launch` receives each launch; `record` the timeline.
void read_launches(const ArgumentText& file, const std::function<void(const sim::LaunchStatistics&)>& launch,
                   host::HostRecord& record);

}  // namespace warptime::cli
