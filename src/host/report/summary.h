// The printed summary of a run: one launch fits an 80 x 24 terminal; several are a table with a few lines on each.
#pragma once

#include <string>
#include <vector>

#include "host/report/error_bands.h"
#include "host/report/report.h"
#include "host/workload/workload.h"

namespace warptime::host {

/// The summary lists at most so many launches; the statistics have all of them.
inline constexpr size_t kLaunchesListed = 200;

/// Ends with a newline. `published` are the published figures of the workload, printed beside the launches of their
/// variants. The variant is the target's ("matmul:tiled"), or the longest one whose name is part of the kernel's.
/// `bands`: of the errors of simulated times, printed beside them.
std::string summarize(const RunReport& report, const std::vector<Published>& published = {},
                      const ErrorBands& bands = {});

/// 1234567 as "1,234,567".
std::string grouped(uint64_t value);

}  // namespace warptime::host
