// The data of a page from a run.
#include <fmt/format.h>

#include <algorithm>

#include "base/plural.h"
#include "cli/annotate/annotate_listing.h"
#include "cli/machine/machine_option.h"
#include "cli/machine/native_option.h"
#include "cli/report/report_input.h"
#include "cli/trace/trace_window.h"
#include "host/explain/explain.h"
#include "host/report/summary.h"
#include "report/recorder.h"

namespace warptime::cli {

namespace {

SourceSpan place_of(const Arguments& arguments, std::initializer_list<std::string_view> options) {
  for (std::string_view option : options)
    if (auto given = arguments.value(option)) return given->where;
  return arguments.whole();
}

/// The instructions as their author wrote them.
void restore_texts(std::vector<report::KernelRows>& kernels) {
  for (report::KernelRows& kernel : kernels) {
    std::vector<std::string> texts;
    for (size_t i = 0; i < kernel.rows.size(); ++i)
      texts.push_back(kernel.rows[i].line == 0 ? "" : text_as_written(kernel.rows, i, *kernel.ptx));
    for (size_t i = 0; i < texts.size(); ++i) kernel.rows[i].text = std::move(texts[i]);
  }
}

void check_trace(const Arguments& arguments, const ReportInput& input, uint64_t launches) {
  if (launches == 0) fail(arguments.words().front().where, "it launches no kernel, so there is nothing to report");
  if (input.log.launch >= launches)
    fail(place_of(arguments, {"launch"}), fmt::format("there is no launch {}", input.log.launch),
         launches == 1 ? "the target has launch 0 only"
                       : fmt::format("the target has {}, from 0 on", plural(launches, "launch", "launches")));
  if (input.log.from >= input.traced.cycles)
    fail(place_of(arguments, {"window"}), fmt::format("the launch is over before cycle {}", input.log.from),
         fmt::format("it takes {}", plural(input.traced.cycles, "cycle")));
  if (input.log.events.empty())
    fail(place_of(arguments, {"window", "sm"}),
         fmt::format("the trace is empty: SM {} has no warp in cycles {} to {}", input.log.sm, input.log.from,
                     input.log.to),
         "without --sm and --window the page shows the beginning of SM 0");
}

void add_notes(const ReportInput& input, const report::Recorder& recorder, std::vector<std::string>& notes) {
  if (recorder.launches() > report::kMostLaunches)
    notes.push_back(fmt::format("The launches are the first {} of {}; totals and lines are of all.",
                                report::kMostLaunches, host::grouped(recorder.launches())));
  if (recorder.events_left_out() > 0)
    notes.push_back(
        fmt::format("The host timeline leaves out its last {} events.", host::grouped(recorder.events_left_out())));
  if (input.page.trace != nullptr && (input.log.to < input.traced.cycles || input.log.from > 0))
    notes.push_back(fmt::format(
        "The warps are those of SM {} in cycles {} to {} of launch {}, which takes {} cycles; `--window A:B` chooses "
        "others.",
        input.log.sm, host::grouped(input.log.from), host::grouped(std::min(input.log.to, input.traced.cycles)),
        input.log.launch, host::grouped(input.traced.cycles)));
}

/// The largest that `warptime explain` has of the traced launch.
void add_findings(const ReportInput& input, report::PageInput& page) {
  host::Explanation found = host::explain(input.traced, page.machine);
  for (size_t i = 0; i < std::min(found.findings.size(), host::kFindingsShown); ++i) {
    const host::Finding& finding = found.findings[i];
    page.findings.push_back({{"rule", finding.rule},
                             {"kernel", found.kernel},
                             {"line", finding.line},
                             {"message", finding.message},
                             {"promised", finding.promised}});
  }
}

}  // namespace

std::unique_ptr<Target> prepare_run_input(const Arguments& arguments, ReportInput& input) {
  std::unique_ptr<Target> target = prepare_run_input(arguments, std::nullopt, std::nullopt, input);
  check_outputs(*target, arguments);
  return target;
}

std::unique_ptr<Target> prepare_run_input(const Arguments& arguments, std::optional<ArgumentText> target,
                                          std::optional<ArgumentText> named, ReportInput& input) {
  input.machine = load_machine(arguments, std::move(named));
  const sim::Machine& machine = input.machine->machine;
  if (!machine.config.has_timing)
    fail(arguments.whole(), fmt::format("machine \"{}\" has no timing, so there is no time to report", machine.name));
  input.page.with_issues = wants_native(arguments, machine);
  std::unique_ptr<Target> found =
      target ? find_named_target(*target, arguments.texts("param")) : find_target(arguments);
  input.log.sm = static_cast<uint32_t>(arguments.number("sm", 0, sim::sm_count(machine.config) - 1).value_or(0));
  input.log.launch = arguments.number("launch", 0, 1'000'000'000).value_or(0);
  read_window(arguments, input.log);
  return found;
}

void run_input(Target& target, const Arguments& arguments, ReportInput& input) {
  const sim::Machine& machine = input.machine->machine;
  sim::RunOptions options = run_options(arguments, machine.config);
  options.per_instruction = true;
  sim::LaunchListener trace({.trace = &input.log});
  options.listener = &trace;
  input.log.accesses = &input.accesses;
  report::Recorder recorder(input.log.launch);
  host::RunReport run = run_with_progress(target, arguments, machine, options, ProgramOutput::Stderr, &recorder);
  if (recorder.traced() != nullptr) input.traced = *recorder.traced();
  check_trace(arguments, input, recorder.launches());

  recorder.move_to(run);
  if (!input.name.empty()) run.target = input.name;
  if (!run.cut) add_figures(target, run);
  input.checks = run.checks;
  fill_page(input, run, recorder, true);
}

void fill_page(ReportInput& input, const host::RunReport& run, report::Recorder& recorder, bool has_trace) {
  input.page.statistics = report::statistics_json(run);
  input.page.kernels = recorder.take_kernels();
  restore_texts(input.page.kernels);
  input.page.machine = &input.machine->machine.config;
  if (has_trace) {
    input.page.trace = &input.log;
    input.page.traced = &input.traced;
    input.page.accesses = &input.accesses;
    add_findings(input, input.page);
  }
  add_notes(input, recorder, input.page.notes);
}

}  // namespace warptime::cli
