// The data of a report's page: what the page shows, as one JSON document. The page adds nothing to it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/report/report.h"
#include "report/kernel_rows.h"
#include "report/trace_file.h"
#include "sim/model/access_log.h"
#include "sim/model/trace.h"

namespace warptime::report {

struct PageInput {
  nlohmann::ordered_json statistics;  // a statistics file without rows per instruction, perhaps of the first launches
  std::vector<KernelRows> kernels;
  const sim::MachineConfig* machine = nullptr;  // nullptr: not known, so no limits
  bool with_issues = false;                     // rows say what issues for them
  const sim::TraceLog* trace = nullptr;         // with the launch that it recorded
  const sim::LaunchStatistics* traced = nullptr;
  const sim::AccessLog* accesses = nullptr;                           // of the traced launch
  TraceFile* trace_file = nullptr;                                    // instead of them, beside a statistics file
  nlohmann::ordered_json comparison = nullptr;                        // with another run: what moved (docs/report.md)
  const PageInput* before = nullptr;                                  // that run, with its trace, if there is one
  nlohmann::ordered_json findings = nlohmann::ordered_json::array();  // of the advice for this run, if there is any
  nlohmann::ordered_json faults = nlohmann::ordered_json::array();    // that the checkers found, if they ran
  std::vector<std::string> notes;                                     // what is left out, and why
};

/// The statistics of a run whose launches are in the report.
nlohmann::ordered_json statistics_json(const host::RunReport& report);

/// The whole file, at most `most_bytes`, unless the statistics alone take more: states of the trace are left out until
/// it fits.
std::string page_html(const PageInput& input, size_t most_bytes);
inline constexpr size_t kMostPageBytes = 8'000'000;

}  // namespace warptime::report
