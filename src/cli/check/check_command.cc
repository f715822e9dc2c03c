// `warptime check`: runs a target functionally with checkers, and prints what they found.
#include <algorithm>

#include "base/standard_streams.h"
#include "cli/check/check_options.h"
#include "cli/check/check_result.h"
#include "cli/cli.h"
#include "cli/exec/program_run.h"
#include "cli/interruption.h"
#include "cli/machine/machine_option.h"
#include "cli/output.h"
#include "cli/run/run_target.h"
#include "debug/check/checker.h"
#include "debug/check/finding_text.h"

namespace warptime::cli {

namespace {

std::string tools_text() {
  std::string out;
  for (size_t tool = 0; tool < debug::kToolChoices; ++tool)
    out += fmt::format("  {:<10} {}\n", debug::kTools[tool].name, debug::kTools[tool].what);
  return out;
}

/// It has every feature, and independent lanes: what only lanes in lockstep order is found as well.
constexpr std::string_view kCheckMachine = "generic";

const Command& describe_check() {
  using Kind = Option::Kind;
  static const Command command = [] {
    Command c{
        .name = "check",
        .usage = "TARGET [options] | [options] -- PROGRAM [ARGS]",
        .summary = "run functionally, and find invalid accesses, races and barrier errors",
        .details = "The checkers, of which --tool selects one:\n" + tools_text() +
                   "All findings of the run are printed, each place of a kernel once for each kind. An invalid access\n"
                   "does not end the run: its loads give 0, and its stores are dropped. The exit status is 3 if\n"
                   "anything but warnings was found. One host thread is used, whatever --threads says.\n"
                   "A PROGRAM is a CUDA program as it is (`warptime exec`), whose launches are all checked; what was\n"
                   "found goes to standard error, with the calls of the program that launched and allocated.\n"
                   "docs/checkers.md describes every kind.\n",
        .options = {{"tool", Kind::Value, Takes::words("all|memcheck|initcheck|racecheck|synccheck"),
                     "what is checked; default all"},
                    {"adversarial", Kind::Value, "SEED",
                     "run in another legal order of blocks, warps and independent lanes, one for each seed"},
                    {"print", Kind::Repeated, "NAME[FIRST:END]", "print elements of a buffer after the last launch"},
                    {"max-cycles", Kind::Value, "N", "end a launch after N warp instructions (exit status 3)"},
                    {"no-check", Kind::Flag, "", "skip the comparison with the CPU reference"},
                    calls_option(),
                    timeout_option("the run"),
                    {"quiet", Kind::Flag, "", "no progress line, and no summary"},
                    {"threads", Kind::Value, "N", "for scripts that give it to every command"}},
        .unavailable = {},
        .examples = {"warptime check matmul:tiled --param n=64",
                     "warptime check histogram --param n=4096 --tool racecheck --json",
                     "warptime check histogram --param n=4096 --adversarial 7",
                     "warptime check --sarif found.sarif -- ./a.out 1024",
                     "warptime check k.ptx --grid 4 --block 256 --buffer x=f32:1024 --arg x"},
        .min_words = 1,
        .max_words = 1,
        .word_name = "TARGET",
        .takes_program = Command::Program::Whole};
    for (Option& option : check_file_options()) c.options.push_back(std::move(option));
    for (Option& option : target_options())
      if (option.name != "output") c.options.push_back(std::move(option));
    for (Option& option : machine_options(kCheckMachine)) c.options.push_back(std::move(option));
    return c;
  }();
  return command;
}

std::string tool_names(const Arguments& arguments) {
  std::vector<std::string_view> names{"all"};
  for (size_t tool = 0; tool < debug::kToolChoices; ++tool) names.push_back(debug::kTools[tool].name);
  return std::string(names[arguments.choice("tool", names).value_or(0)]);
}

CheckResult result_of(const host::RunReport& report, const debug::Checker& checker, std::optional<uint64_t> seed) {
  CheckResult out{.target = report.target,
                  .machine = report.machine.name,
                  .machine_hash = report.machine.hash,
                  .seed = seed,
                  .complete = !report.cut,
                  .end = {},
                  .findings = {},
                  .notes = checker.notes(),
                  .kernels = {},
                  .status = kDone};
  if (checker.findings().any_error() || report.cut) out.status = kSimulatedFault;
  else if (!failed_checks(report.checks).empty()) out.status = kCheckFailed;
  if (report.cut && report.cut->fault.kind == sim::Fault::Kind::Interrupted) out.status = Interruption::exit_status();
  if (report.cut && !checker.has_fault()) out.end = report.cut->fault.message;
  for (const host::Check& check : report.checks)
    if (!check.ok) out.end = fmt::format("result {} differs from the reference: {}", check.name, check.first_failure);
  for (const debug::Finding& finding : checker.findings().all()) {
    out.findings.push_back(debug::finding_json(finding));
    out.findings.back()["text"] = debug::finding_text(finding);
  }
  for (const sim::LaunchStatistics& launch : report.launches)
    if (std::find(out.kernels.begin(), out.kernels.end(), launch.kernel) == out.kernels.end())
      out.kernels.push_back(launch.kernel);
  return out;
}

std::string check_text(const host::RunReport& report, const debug::Checker& checker, bool all_calls, bool quiet) {
  std::string out = findings_text(checker, all_calls);
  if (quiet) return out;
  return out +
         fmt::format("{} on {}: {}\n", report.target, report.machine.name, findings_summary(checker.findings().all()));
}

/// Options of targets say nothing of a program.
int check_program_of(const Arguments& arguments) {
  for (const auto& [option, values] : arguments.options())
    for (const Option& of_target : target_options())
      if (option == of_target.name || option == "print" || option == "no-check")
        fail(values.front().where, fmt::format("--{} goes with a TARGET, not with a program", option));
  return run_cuda_program(arguments, arguments.program(),
                          {.machine = kCheckMachine, .checkers = tool_names(arguments), .json_of_findings = true});
}

int execute_check(const Arguments& arguments) {
  if (!arguments.program().empty()) return check_program_of(arguments);
  debug::CheckTools tools = *debug::check_tools_of(tool_names(arguments));
  sim::LoadedMachine loaded = load_machine(arguments, std::nullopt, kCheckMachine);
  sim::RunOptions options = run_options(arguments, loaded.machine.config);
  std::unique_ptr<Target> target = find_target(arguments);
  target->drop_outputs();
  if (arguments.has("print")) target->print(arguments.texts("print"), arguments.all("print").front().where);
  CheckFiles files(arguments);
  debug::Checker checker(tools);
  options.functional = true;
  options.listener = &checker;
  const std::optional<uint64_t> seed = arguments.number("adversarial", 0, ~uint64_t{0});
  checker.reorder(seed);
  host::RunReport report = run_until_cut(*target, arguments, loaded.machine, options, ProgramOutput::Stderr);
  checker.finish();
  if (files.any()) files.write(result_of(report, checker, seed));
  if (files.uses_standard_output()) print_error(target->printed());
  else print(target->printed() + check_text(report, checker, arguments.has("calls"), arguments.has("quiet")));
  return end_of_checked_run(report, checker);
}

}  // namespace

Entry check_command() { return {describe_check, execute_check}; }

}  // namespace warptime::cli
