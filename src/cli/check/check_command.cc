// `warptime check`: runs a target functionally with checkers, and prints what they found.
#include <nlohmann/json.hpp>

#include "base/standard_streams.h"
#include "cli/check/check_options.h"
#include "cli/check/check_output.h"
#include "cli/cli.h"
#include "cli/machine/machine_option.h"
#include "cli/output.h"
#include "cli/run/run_target.h"
#include "debug/check/checker.h"

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
        .usage = "TARGET [options]",
        .summary = "run functionally, and find invalid accesses, races and barrier errors",
        .details = "The checkers, of which --tool selects one:\n" + tools_text() +
                   "All findings of the run are printed, each place of a kernel once for each kind. An invalid access\n"
                   "does not end the run: its loads give 0, and its stores are dropped. The exit status is 3 if\n"
                   "anything but warnings was found. One host thread is used, whatever --threads says.\n"
                   "docs/checkers.md describes every kind.\n",
        .options = {{"tool", Kind::Value, Takes::words("all|memcheck|initcheck|racecheck|synccheck"),
                     "what is checked; default all"},
                    {"json", Kind::OptionalValue, Takes::file("FILE"),
                     "the findings as JSON to FILE or standard output"},
                    {"adversarial", Kind::Value, "SEED",
                     "run in another legal order of blocks, warps and independent lanes, one for each seed"},
                    {"print", Kind::Repeated, "NAME[FIRST:END]", "print elements of a buffer after the last launch"},
                    {"max-cycles", Kind::Value, "N", "end a launch after N warp instructions (exit status 3)"},
                    {"no-check", Kind::Flag, "", "skip the comparison with the CPU reference"},
                    calls_option(),
                    {"quiet", Kind::Flag, "", "no progress line, and no summary"},
                    {"threads", Kind::Value, "N", "for scripts that give it to every command"}},
        .unavailable = {},
        .examples = {"warptime check matmul:tiled --param n=64",
                     "warptime check histogram --param n=4096 --tool racecheck --json",
                     "warptime check histogram --param n=4096 --adversarial 7",
                     "warptime check k.ptx --grid 4 --block 256 --buffer x=f32:1024 --arg x"},
        .min_words = 1,
        .max_words = 1,
        .word_name = "TARGET"};
    for (Option& option : target_options())
      if (option.name != "output") c.options.push_back(std::move(option));
    for (Option& option : machine_options(kCheckMachine)) c.options.push_back(std::move(option));
    return c;
  }();
  return command;
}

debug::CheckTools tools_of(const Arguments& arguments) {
  std::vector<std::string_view> names{"all"};
  for (size_t tool = 0; tool < debug::kToolChoices; ++tool) names.push_back(debug::kTools[tool].name);
  const size_t chosen = arguments.choice("tool", names).value_or(0);
  auto is_on = [&](debug::Tool tool) { return chosen == 0 || static_cast<size_t>(tool) + 1 == chosen; };
  return {.memcheck = is_on(debug::Tool::Memcheck),
          .initcheck = is_on(debug::Tool::Initcheck),
          .racecheck = is_on(debug::Tool::Racecheck),
          .synccheck = is_on(debug::Tool::Synccheck)};
}

nlohmann::ordered_json check_json(const host::RunReport& report, const debug::Checker& checker,
                                  std::optional<uint64_t> seed) {
  nlohmann::ordered_json out{{"schema", 1},
                             {"target", report.target},
                             {"machine", {{"name", report.machine.name}, {"hash", report.machine.hash}}}};
  if (seed) out["adversarial"] = *seed;
  out["complete"] = !report.cut;
  out["findings"] = nlohmann::ordered_json::array();
  for (const debug::Finding& finding : checker.findings().all()) out["findings"].push_back(finding_json(finding));
  out["notes"] = checker.notes();
  return out;
}

std::string check_text(const host::RunReport& report, const debug::Checker& checker, bool all_calls, bool quiet) {
  std::string out = findings_text(checker, all_calls);
  if (quiet) return out;
  return out +
         fmt::format("{} on {}: {}\n", report.target, report.machine.name, findings_summary(checker.findings().all()));
}

int execute_check(const Arguments& arguments) {
  debug::CheckTools tools = tools_of(arguments);
  sim::LoadedMachine loaded = load_machine(arguments, std::nullopt, kCheckMachine);
  sim::RunOptions options = run_options(arguments, loaded.machine.config);
  std::unique_ptr<Target> target = find_target(arguments);
  target->drop_outputs();
  if (arguments.has("print")) target->print(arguments.texts("print"), arguments.all("print").front().where);
  std::optional<Output> json = output_of(arguments, "json");
  debug::Checker checker(tools);
  options.functional = true;
  options.listener = &checker;
  const std::optional<uint64_t> seed = arguments.number("adversarial", 0, ~uint64_t{0});
  checker.reorder(seed);
  host::RunReport report = run_until_cut(*target, arguments, loaded.machine, options, ProgramOutput::Stderr);
  checker.finish();
  if (json) json->write_all(json_text(check_json(report, checker, seed)));
  if (json && json->is_standard_output()) print_error(target->printed());
  else print(target->printed() + check_text(report, checker, arguments.has("calls"), arguments.has("quiet")));
  return end_of_checked_run(report, checker);
}

}  // namespace

Entry check_command() { return {describe_check, execute_check}; }

}  // namespace warptime::cli
