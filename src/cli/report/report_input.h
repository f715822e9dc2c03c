// The data of a report's page: from a run with a trace of one SM, or from a statistics file.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cli/command_line.h"
#include "cli/run/run_target.h"
#include "report/page_data.h"
#include "sim/model/machine_loader.h"

namespace warptime::cli {

/// `page` points into the rest.
struct ReportInput {
  ReportInput() = default;
  ReportInput(const ReportInput&) = delete;
  ReportInput& operator=(const ReportInput&) = delete;

  report::PageInput page;
  std::optional<sim::LoadedMachine> machine;
  sim::TraceLog log;
  sim::LaunchStatistics traced;
  std::vector<host::Check> checks;
};

/// Everything that can be wrong before the run; throws host::InputError.
std::unique_ptr<Target> prepare_run_input(const Arguments& arguments, ReportInput& input);
/// Runs it; throws host::InputError if there is nothing to show.
void run_input(Target& target, const Arguments& arguments, ReportInput& input);

/// From the statistics file that the first word names; throws host::InputError.
void read_statistics_input(const Arguments& arguments, ReportInput& input);

}  // namespace warptime::cli
