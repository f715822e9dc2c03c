// The TARGET of `warptime run` (and of every command that runs something): a workload, a launch file or a bare PTX
// file, behind one door; the options that say what to run and how; and one run of it as a report.
#pragma once

#include <memory>
#include <string>
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
  /// Figures that were published for it, to stand beside the simulated ones.
  virtual std::vector<host::Published> published() const { return {}; }
  /// The CPU baseline of its workload; throws host::InputError where it has none. `where`: what asked for it.
  virtual cpu::CpuReport cpu(const cpu::Cpu& processor, const SourceSpan& where) const;
  /// The files that run() writes.
  virtual std::vector<ArgumentText> outputs() const { return {}; }
  /// Its `outputs:` and --output are not written (where it runs many times over). Whether there were any.
  virtual bool drop_outputs() { return false; }
  /// The contents of the user's files that it runs; empty where it runs none.
  virtual std::string contents() const { return {}; }
};

/// The rows of the options that say what to run: --param, and those of a bare PTX file.
std::vector<Option> target_options();
/// Reads and checks everything that can be checked before a device is there. Throws host::InputError.
std::unique_ptr<Target> find_target(const Arguments& arguments);
/// The same with these "NAME=VALUE" texts in place of --param.
std::unique_ptr<Target> find_target(const Arguments& arguments, std::vector<std::string> parameters);

/// A workload or a variant of it that is named elsewhere than on the command line.
std::unique_ptr<Target> find_workload_target(const ArgumentText& word, std::vector<std::string> parameters);

/// Fails if the target writes a file that is also read, or written by an option, or that cannot be written.
void check_outputs(const Target& target, const Arguments& arguments);

/// The rows of the options that say how, whatever is run: --functional, --max-cycles, --no-check.
std::vector<Option> simulation_options();
/// What these and --threads, --step, --attribution, --stats-per-instruction ask for.
sim::RunOptions run_options(const Arguments& arguments, const sim::MachineConfig& machine);
/// --threads, or as many as the host has cores.
uint32_t host_threads(const Arguments& arguments);
/// --jobs or --threads of a command whose runs are processes of one thread each.
unsigned jobs_of(const Arguments& arguments);

/// Runs the target on a device of its own. `warnings`: what the front end had to say. `observer`: receives
/// launches and the timeline, which the report then does not have.
host::RunReport run_target(Target& target, std::string name, const sim::Machine& machine,
                           const sim::RunOptions& options, bool check, std::string& warnings,
                           host::RunObserver* observer = nullptr);

/// Where the output of printf in device code goes.
enum class ProgramOutput : uint8_t { Stdout, Stderr };

/// What a command does around one run: a progress line, the command line's --no-check, what device code prints, and the
/// front end's warnings on standard error.
host::RunReport run_with_progress(Target& target, const Arguments& arguments, const sim::Machine& machine,
                                  sim::RunOptions options, ProgramOutput output, host::RunObserver* observer = nullptr);

/// Says on standard error which checks failed; the command's exit status.
int status_of_checks(const std::vector<host::Check>& checks);
/// A line for each check that failed; empty: none did.
std::string failed_checks(const std::vector<host::Check>& checks);

}  // namespace warptime::cli
