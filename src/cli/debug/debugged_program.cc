#include "cli/debug/debugged_program.h"

#include <fmt/format.h>

#include <utility>

#include "cli/check/check_options.h"
#include "cli/cli.h"
#include "cli/machine/machine_option.h"
#include "debug/check/finding_text.h"
#include "host/report/statistics_text.h"
#include "host/report/summary.h"

namespace warptime::cli {

namespace {

void write_statistics(Output& out, const host::RunReport& report) {
  auto text = host::statistics_text(host::StatisticsFormat::Json, report.machine, report.target, false,
                                    [&out](std::string_view part) { out.write(part); });
  for (const sim::LaunchStatistics& launch : report.launches) text->launch(launch);
  for (const host::TimelineEvent& event : report.timeline) text->event(event);
  text->end(report, host::total_of(report.launches));
  out.finish();
}

/// The program ended: what became of it.
std::string end_text(const host::RunReport& report) {
  if (report.cut) return "The program has ended with a fault\n" + std::string(report.cut->what());
  std::string out = fmt::format("The program has ended; {} launch{}\n", report.launches.size(),
                                report.launches.size() == 1 ? "" : "es");
  return out + failed_checks(report.checks);
}

sim::LoadedMachine timed_machine(const Arguments& arguments) {
  sim::LoadedMachine loaded = load_machine(arguments);
  if (!loaded.machine.config.has_timing)
    fail(arguments.whole(),
         fmt::format("machine \"{}\" has no timing, and the debugger goes by cycles", loaded.machine.name),
         "choose another --machine; `warptime list machines` shows them");
  return loaded;
}

}  // namespace

DebuggedProgram::DebuggedProgram(Arguments arguments, std::shared_ptr<CapturedLaunch> captured)
    : arguments_(std::move(arguments)),
      captured_(std::move(captured)),
      loaded_(timed_machine(arguments_)),
      target_(find_target(arguments_)) {
  check_outputs(*target_, arguments_);
  options_ = run_options(arguments_, loaded_.machine.config);
  options_.threads = 1;
  tools_ = check_tools(arguments_);
  if (auto file = arguments_.value("stats")) stats_.emplace(*file, "--stats", arguments_);
}

std::string DebuggedProgram::run(debug::Console& console, debug::FrontEnd& front_end, sim::LaunchListener& printer) {
  if (tools_) checker_.emplace(*tools_);
  debug::LocatingChecker* const checks = checker_ ? &*checker_ : nullptr;
  debug::Driver driver(console, front_end, checks);
  sim::LaunchListeners all{checks, &driver, &printer};
  options_.listener = &all;
  const bool compares = !arguments_.has("no-check");
  host::RunReport report =
      run_to_fault(*target_, arguments_.target_name(), loaded_.machine, options_, compares, warnings_, nullptr);
  status_ = report.cut ? kSimulatedFault : failed_checks(report.checks).empty() ? kDone : kCheckFailed;
  if (stats_) write_statistics(*stats_, report);
  stats_.reset();
  return end_text(report) + (checker_ ? end_of_checks() : std::string());
}

/// What only the end shows, and the number of all findings.
std::string DebuggedProgram::end_of_checks() {
  const auto& all = checker_->findings().all();
  const size_t before = all.size();
  checker_->finish();
  if (status_ != kSimulatedFault && checker_->findings().any_error()) status_ = kSimulatedFault;
  std::string out;
  for (size_t i = before; i < all.size(); ++i) out += debug::finding_text(all[i]);
  for (const std::string& note : checker_->notes()) out += fmt::format("note: {}\n", note);
  return out + fmt::format("checkers: {}\n", debug::findings_summary(all));
}

}  // namespace warptime::cli
