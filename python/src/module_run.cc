#include "python/src/module_run.h"

#include <chrono>

#include "base/run_files.h"
#include "cli/cli.h"
#include "cli/machine/machine_option.h"
#include "host/launch_file/launch_machine.h"
#include "python/src/follower.h"

namespace warptime::python {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

}  // namespace

RunOutcome run(RunRequest request) {
  auto start = Clock::now();
  RunFiles files;
  cli::CommandLine line(std::move(request.words));
  cli::Arguments arguments(cli::run_command().describe(), line, 1);
  if (arguments.help()) cli::fail(arguments.whole(), "--help is not a target");
  RunOutcome out;
  std::optional<cli::ArgumentText> machine = arguments.value("machine");
  std::optional<host::LaunchMachine> of_file;
  if (const std::string& target = arguments.words().front().text; !machine && cli::is_launch_file_name(target))
    of_file = host::machine_of_launch_file(target);
  if (of_file) machine = cli::ArgumentText{of_file->name, of_file->where};
  sim::LoadedMachine loaded = cli::load_machine(machine, arguments.texts("set"), out.warnings);
  std::unique_ptr<cli::Target> target =
      request.call ? target_of(std::move(*request.call)) : cli::find_target(arguments);
  cli::check_outputs(*target, arguments);

  sim::RunOptions options = cli::run_options(arguments, loaded.machine.config);
  sim::InterruptFlag flag = 0;
  options.interrupt = &flag;
  Follower follower(request.interrupted, flag, out.printed);
  options.listener = &follower;
  std::string warnings;
  host::RunReport report = cli::run_to_fault(*target, arguments.words().front().text, loaded.machine, options,
                                             !arguments.has("no-check"), warnings, nullptr);
  report.host.wall_seconds = seconds_since(start);
  out.warnings += warnings;
  out.failures = cli::failed_checks(report.checks);
  out.statistics = host::to_json_text(report);
  if (report.cut) {
    out.fault = report.cut->what();
    out.interrupted = report.cut->fault.kind == sim::Fault::Kind::Interrupted;
  }
  return out;
}

}  // namespace warptime::python
