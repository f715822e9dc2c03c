// A run in words, for people: one launch fits an 80 x 24 terminal; several become a table with a few lines on each.
#pragma once

#include <string>
#include <vector>

#include "host/report/report.h"
#include "host/workload/workload.h"

namespace warptime::host {

/// Of a run with more launches the summary lists so many; the statistics have them all.
inline constexpr size_t kLaunchesListed = 200;

/// Ends with a newline. `published` are the figures of the workload that ran; those of a launch's variant stand beside
/// it. The variant is the target's ("matmul:tiled"), or the longest one whose name is part of the kernel's.
std::string summarize(const RunReport& report, const std::vector<Published>& published = {});

/// 1234567 as "1,234,567".
std::string grouped(uint64_t value);

}  // namespace warptime::host
