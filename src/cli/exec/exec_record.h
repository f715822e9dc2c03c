// What becomes of the launches of a program: the files of --stats and --json, a table of intervals, the page of
// --report, the trace of --timeline, and the summary.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/exec/exec_summary.h"
#include "cli/report/report_input.h"
#include "cli/run/interval_table.h"
#include "cli/run/run_record.h"
#include "cli/trace/trace_file.h"
#include "cuda/record.h"

namespace warptime::cli {

/// What the command line says of a record.
struct RecordWords {
  const Arguments& arguments;
  const std::string& program;
  bool json_of_findings = false;  // --json is not of the statistics
};

class ExecRecord final : public cuda::RecordListener {
 public:
  /// Checks the options and opens the files. Throws host::InputError.
  ExecRecord(const RecordWords& words, sim::LoadedMachine machine, const sim::RunOptions& options, bool partly);

  bool begins(const cuda::RecordedDevice& device) override;
  void launch(const sim::LaunchStatistics& launch) override;
  void event(const host::TimelineEvent& event) override;
  void interval(const sim::LaunchInterval& part) override;
  void traced(sim::TraceLog log, sim::AccessLog accesses, sim::LaunchStatistics launch) override;
  void fault() override { faulted_ = true; }
  void ends(const cuda::RecordedEnd& end) override { report_.host.simulate_seconds += end.simulate_seconds; }

  bool faulted() const { return faulted_; }
  std::string summary() const;
  std::vector<std::string> kernels() const { return summary_.kernels(); }
  /// Whether every launch is to be recorded with its instructions, for the page.
  bool has_page() const { return page_file_.has_value(); }
  /// What --interval gives; 0: nothing.
  uint64_t interval_cycles() const { return intervals_ ? intervals_->needs().interval : 0; }
  /// "LAUNCH,SM,FROM,TO" for the page.
  std::string traced_text() const;
  /// The end: `killed`: before the program's own. Throws host::InputError: a file cannot be written.
  void finish(bool killed, double seconds);

 private:
  /// A file that cannot be written does not end the program.
  template <class Work>
  void write(Work work);
  void write_page();
  void write_timeline();

  std::string program_;
  ReportInput page_;
  std::optional<Output> page_file_;
  std::optional<report::Recorder> page_recorder_;
  bool has_trace_ = false;
  std::optional<TraceFile> timeline_file_;
  std::vector<host::TimelineEvent> timeline_;
  std::optional<IntervalTable> intervals_;
  std::optional<RunRecord> record_;
  host::RunReport report_;
  ExecSummary summary_;
  bool has_rows_, partly_, faulted_ = false;  // rows for instructions, in the statistics, too
  std::optional<host::InputError> problem_;
};

}  // namespace warptime::cli
