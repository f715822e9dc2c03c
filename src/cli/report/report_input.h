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
  std::optional<std::string> checked;  // the target of the findings of check
  std::string name;                    // of its target in the page; empty: as on the command line
};

/// The words of the command line. What a file is follows from its content.
struct ReportWords {
  std::vector<ArgumentText> targets;             // or:
  std::vector<ArgumentText> statistics, traces;  // one or two; a trace for each, or none
};
/// Throws host::InputError.
ReportWords report_words(const Arguments& arguments);

/// Everything that can be wrong before the run; throws host::InputError.
std::unique_ptr<Target> prepare_run_input(const Arguments& arguments, ReportInput& input);
/// One side of a comparison: that target, or else the one of the command line, on that machine, or else the one of
/// --machine.
std::unique_ptr<Target> prepare_run_input(const Arguments& arguments, std::optional<ArgumentText> target,
                                          std::optional<ArgumentText> machine, ReportInput& input);
/// Runs it; throws host::InputError if there is nothing to show.
void run_input(Target& target, const Arguments& arguments, ReportInput& input);

/// The page of a run whose launches `recorder` has handed over to `run`. `has_trace`: of one launch, in `input`.
void fill_page(ReportInput& input, const host::RunReport& run, report::Recorder& recorder, bool has_trace);

/// From a statistics file, whose numbers it returns; throws host::InputError.
StatisticsFile read_statistics_input(const Arguments& arguments, const ArgumentText& name, ReportInput& input);
/// The trace of a run whose statistics are in `file`; throws host::InputError.
void read_trace_input(const ArgumentText& trace, const StatisticsFile& file, ReportInput& input);
/// From two statistics files, perhaps with the traces of their runs: the page of the second, compared with the first.
void read_comparison_input(const Arguments& arguments, const ReportWords& words, ReportInput& before,
                           ReportInput& input);

/// What `warptime check` found, from the file that it wrote, for the page; throws host::InputError.
void read_findings(const ArgumentText& file, ReportInput& input);
/// A note if that is of another target than the page.
void compare_targets(ReportInput& input);

/// Two runs: of one target on two machines, of two targets on one, or of the second target on the second machine.
class ComparedRuns {
 public:
  /// Everything that can be wrong before the first run; throws host::InputError.
  ComparedRuns(const Arguments& arguments, const ReportWords& words, ReportInput& before, ReportInput& input);
  /// Runs both; throws host::InputError if there is nothing to show.
  void run();

 private:
  const Arguments& arguments_;
  ReportInput& before_;
  ReportInput& input_;
  std::unique_ptr<Target> targets_[2];
  ArgumentText names_[2];
};

}  // namespace warptime::cli
