// The quantities of table 3 of Ryoo 2008 for a program, from the report of its run; docs/bottleneck.md has the rules.
// All but the times are those of the main kernel: the launches of the kernel that takes the most time.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "host/report/report.h"
#include "host/validation/validation.h"

namespace warptime::host {

struct SuiteFigures {
  std::string kernel;
  uint64_t active_threads = 0;
  uint32_t registers_estimated = 0;
  double shared_bytes_per_thread = 0;
  // Largest share of the reachable rate, among the resources of class "issue" and of class "bandwidth".
  double issue = 0, memory = 0;
  double memory_to_compute = 0;
  std::string bottleneck;                // the paper's class of the verdict (host/report/verdict.h)
  std::string bound;                     // and its name
  double kernels_us = 0, copies_us = 0;  // of the timeline
  // Relative to the CPU; 0 if the report has no CPU baseline.
  double kernel_speedup = 0, application_speedup = 0, gpu_percent = 0, transfer_percent = 0;
};

/// nullopt for a run without launches or without timing.
std::optional<SuiteFigures> suite_figures(const RunReport& report, const CpuBaselineSpec& cpu = {});
nlohmann::ordered_json to_json(const SuiteFigures& figures);

}  // namespace warptime::host
