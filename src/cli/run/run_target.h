// The TARGET of `warptime run` and of all other commands that run programs: a common interface to workloads, launch
// files and PTX files, the options of runs, and a run with its report.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command_line.h"
#include "host/report/report.h"
#include "host/workload/workload.h"
#include "sim/gpu/gpu.h"

namespace warptime::cli {

class Target {
 public:
  virtual ~Target() = default;
  /// Runs it; throws host::InputError or host::FaultError.
  virtual std::vector<host::Check> run(host::Device& device, bool check) = 0;
  /// Published figures, printed beside the simulated ones.
  virtual std::vector<host::Published> published() const { return {}; }
  /// The CPU baseline of its workload; throws host::InputError if it has none. `where`: the option that requests it.
  virtual cpu::CpuReport cpu(const cpu::Cpu& processor, const SourceSpan& where) const;
  /// The files that run() writes.
  virtual std::vector<ArgumentText> outputs() const { return {}; }
  /// Suppresses its `outputs:` and --output, for repeated runs. Returns whether it had any.
  virtual bool drop_outputs() { return false; }
  /// Asks for elements of its buffers, "NAME[FIRST:END]"; run() leaves their text in printed(). `where`: of the option.
  virtual void print(const std::vector<std::string>& ranges, const SourceSpan& where);
  virtual std::string printed() const { return {}; }
  /// Names of the quantities that it computes from its statistics, and their values for a run.
  virtual std::vector<std::string> figure_names() const { return {}; }
  virtual std::vector<host::Figure> figures(const host::RunReport&) const { return {}; }
  /// The figures that it expects of a run (`expect_figures`), beside the measured ones.
  virtual std::vector<host::FigureCheck> figure_checks(const host::RunReport&) const { return {}; }
  /// The contents of the user's files that it runs; empty if none.
  virtual std::string contents() const { return {}; }
};

/// The table rows of the options that define a target: --param, and those of a PTX file.
std::vector<Option> target_options();
/// Reads the target and makes all checks that do not require a device. Throws host::InputError.
std::unique_ptr<Target> find_target(const Arguments& arguments);
/// find_target with these "NAME=VALUE" texts in place of --param.
std::unique_ptr<Target> find_target(const Arguments& arguments, std::vector<std::string> parameters);

/// A workload, a variant or a launch file, of several that are named on the command line; it writes no files.
std::unique_ptr<Target> find_named_target(const ArgumentText& word, std::vector<std::string> parameters);

/// The target of a run of a validation table: a workload, a variant, or a launch file beside the table. `places`: of
/// its parameters in the table.
std::unique_ptr<Target> find_table_target(const ArgumentText& word, const std::string& table,
                                          std::vector<std::string> parameters, const std::vector<SettingPlace>& places);
/// The target as a path that does not depend on the table's folder; a workload as it is.
std::string table_target_path(const std::string& target, const std::string& table);

/// Fails if the target writes a file that is also read, or written by an option, or that cannot be written.
void check_outputs(const Target& target, const Arguments& arguments);

/// --calls: how messages name a CUDA line.
Option calls_option();
/// The table rows of the options for all targets: --functional, --max-cycles, --no-check, --calls.
std::vector<Option> simulation_options();
/// All rows of a command that runs its target with timing and in full: of the target, these and of the machine.
std::vector<Option> timed_run_options();
/// The settings of these and of --threads, --step, --attribution, --stats-per-instruction.
sim::RunOptions run_options(const Arguments& arguments, const sim::MachineConfig& machine);
/// --threads, by default the number of the host's cores.
uint32_t host_threads(const Arguments& arguments);
/// --jobs or --threads of a command whose runs are processes of one thread each.
unsigned jobs_of(const Arguments& arguments);

/// Runs the target on a new device. If the program faults or is interrupted, this is the report of what ran until then,
/// with `cut`. Parameters as of run_target.
host::RunReport run_to_fault(Target& target, std::string name, const sim::Machine& machine,
                             const sim::RunOptions& options, bool check, std::string& warnings,
                             host::RunObserver* observer, host::Checkpoints* checkpoints = nullptr);
/// Runs the target on a new device. `warnings`: of the front end. `observer`: receives launches and the timeline, which
/// the report then does not contain.
host::RunReport run_target(Target& target, std::string name, const sim::Machine& machine,
                           const sim::RunOptions& options, bool check, std::string& warnings,
                           host::RunObserver* observer = nullptr);

/// Adds the target's figures and what it expects of them to the report, once that has all launches.
void add_figures(const Target& target, host::RunReport& report);

/// The destination of printf in device code.
enum class ProgramOutput : uint8_t { Stdout, Stderr };
/// Passes it on.
class ProgramPrinter final : public sim::LaunchListener {
 public:
  explicit ProgramPrinter(std::function<void(std::string_view)> to)
      : LaunchListener({.prints = true}), to_(std::move(to)) {}
  void printed(std::string_view text) override { to_(text); }

 private:
  std::function<void(std::string_view)> to_;
};

/// A run as part of a command, with a progress line, --no-check, the output of device code, and the front end's
/// warnings on standard error.
host::RunReport run_with_progress(Target& target, const Arguments& arguments, const sim::Machine& machine,
                                  sim::RunOptions options, ProgramOutput output, host::RunObserver* observer = nullptr);

/// run_with_progress, but if the program faults or the user interrupts it, this is the report of what ran until then
/// (`cut`). Prints `cut` at the end with end_of_run.
host::RunReport run_until_cut(Target& target, const Arguments& arguments, const sim::Machine& machine,
                              sim::RunOptions options, ProgramOutput output, host::RunObserver* observer = nullptr,
                              host::Checkpoints* checkpoints = nullptr);
/// After the command's output: prints failed checks, of figures too, and what cut the run short; returns the exit
/// status.
int end_of_run(const host::RunReport& report);

/// Prints on standard error the expected figures that are missed, and why others were not measured; returns whether
/// none is missed.
bool print_missed_figures(const std::vector<host::FigureCheck>& checks);

/// Prints failed checks on standard error; returns the command's exit status.
int status_of_checks(const std::vector<host::Check>& checks);
/// A line for each failed check.
std::string failed_checks(const std::vector<host::Check>& checks);

}  // namespace warptime::cli
