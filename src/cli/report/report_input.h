// The data of a report's page: from a run with a trace of one SM, from a statistics file, alone or with the trace of
// its run, or from two statistics files.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cli/command_line.h"
#include "cli/compare/statistics_file.h"
#include "cli/run/run_target.h"
#include "report/page_data.h"
#include "report/recorder.h"
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
  sim::AccessLog accesses;
  sim::LaunchStatistics traced;
  std::optional<report::TraceFile> trace_file;
  std::vector<host::Check> checks;
};

/// Everything that can be wrong before the run; throws host::InputError.
std::unique_ptr<Target> prepare_run_input(const Arguments& arguments, ReportInput& input);
/// Runs it; throws host::InputError if there is nothing to show.
void run_input(Target& target, const Arguments& arguments, ReportInput& input);

/// The page of a run whose launches `recorder` has handed over to `run`. `has_trace`: of one launch, in `input`.
void fill_page(ReportInput& input, const host::RunReport& run, report::Recorder& recorder, bool has_trace);

enum class WordKinds : uint8_t { Target, Statistics, TwoStatistics, StatisticsAndTrace, TraceAndStatistics };
/// What the words of the command line are, files by their content; throws host::InputError.
WordKinds kinds_of(const Arguments& arguments);

/// From a statistics file, whose numbers it returns; throws host::InputError.
StatisticsFile read_statistics_input(const Arguments& arguments, const ArgumentText& name, ReportInput& input);
/// From a statistics file and the trace in `trace`; throws host::InputError.
void read_trace_input(const Arguments& arguments, const ArgumentText& name, const ArgumentText& trace,
                      ReportInput& input);
/// From the two statistics files of the command line: the page of the second, compared with the first.
void read_comparison_input(const Arguments& arguments, ReportInput& before, ReportInput& input);

}  // namespace warptime::cli
