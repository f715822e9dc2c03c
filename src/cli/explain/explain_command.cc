// `warptime explain`: what bounds each launch of a run, and what a change could save; with --check, what it does.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/cli.h"
#include "cli/compare/statistics_file.h"
#include "cli/exec/captured_launch.h"
#include "cli/explain/statistics_launches.h"
#include "cli/explain/what_if_runs.h"
#include "cli/home.h"
#include "cli/machine/machine_option.h"
#include "cli/output.h"
#include "cli/run/run_target.h"
#include "host/explain/explain.h"
#include "sim/model/machine_loader.h"

namespace warptime::cli {

namespace {

const Command& describe_explain() {
  using Kind = Option::Kind;
  static const Command command = [] {
    Command c{
        .name = "explain",
        .usage = "TARGET|STATS.json [options] | [options] -- PROGRAM [ARGS]",
        .summary = "say what bounds each launch and what costs most",
        .details =
            "Prints what binds, the shares of the resources, and the three changes that would save most of the\n"
            "launch's time. A statistics file (STATS.json) is read; a TARGET is run, as by `warptime run`.\n"
            "--check runs it again without what each finding names, and measures the saving.\n",
        .options = {{"check", Kind::Flag, "", "TARGET: try each finding: its measured saving beside the estimated one"},
                    {"json", Kind::OptionalValue, Takes::file("FILE"), "write it as JSON to FILE or standard output"},
                    {"threads", Kind::Value, "N", "TARGET: host threads; default: the host's cores"}},
        .unavailable = {},
        .examples = {"warptime explain matmul:naive --param n=128",
                     "warptime explain matmul:naive --param n=128 --check",
                     "warptime run vecadd --stats vecadd.json --stats-per-instruction --quiet",
                     "warptime explain vecadd.json"},
        .min_words = 1,
        .max_words = 1,
        .word_name = "TARGET or statistics file",
        .takes_program = Command::Program::OneLaunch};
    c.options.push_back(program_launch_option());
    for (Option& option : target_options())
      if (option.name != "output") c.options.push_back(std::move(option));
    for (Option& option : simulation_options()) c.options.push_back(std::move(option));
    for (Option& option : machine_options()) c.options.push_back(std::move(option));
    return c;
  }();
  return command;
}

struct Explained {
  std::string heading;
  std::vector<host::Explanation> launches;
  host::HostExplanation run;
  int status = kDone;
};

/// The machine of a statistics file, if it is an included one with these values.
std::optional<sim::Machine> machine_of(const StatisticsFile& file) {
  if (file.machine.find_first_of("/.") != std::string::npos) return std::nullopt;
  Diagnostics unwanted;
  auto loaded = sim::load_machine(file.machine, {}, configs_folder(), unwanted);
  if (!loaded || loaded->machine.hash != file.hash) return std::nullopt;
  return loaded->machine;
}

Explained explain_file(const Arguments& arguments, std::optional<Output>& json) {
  const ArgumentText& word = arguments.words().front();
  if (arguments.has("check"))
    fail(arguments.all("check").front().where, "--check runs the program again; this is a statistics file",
         "name the TARGET it was made from instead");
  for (const Option& option : describe_explain().options)
    if (option.name != "json" && arguments.has(option.name))
      fail(arguments.all(option.name).front().where,
           fmt::format("--{} needs a TARGET; it has no effect on a statistics file", option.name));
  StatisticsFile file = read_statistics(word);
  json = output_of(arguments, "json");
  std::optional<sim::Machine> machine = machine_of(file);
  Explained out{.heading = fmt::format("{} on {}", file.target, file.machine), .launches = {}, .run = {}};
  host::HostRecord record;
  read_launches(
      word,
      [&](const sim::LaunchStatistics& launch) {
        if (!launch.timed)
          fail(word.where, fmt::format("{} is of a functional run, which has no time to explain", word.text),
               "`warptime run TARGET --stats FILE` without --functional writes one that has");
        out.launches.push_back(host::explain(launch, machine ? &machine->config : nullptr));
      },
      record);
  if (out.launches.empty()) fail(word.where, fmt::format("{} has no launches to explain", word.text));
  out.run = record.explain();
  return out;
}

/// Explains each launch as it ends.
class ExplainingObserver : public host::RunObserver {
 public:
  explicit ExplainingObserver(const sim::MachineConfig& machine) : machine_(machine) {}
  void launch(const sim::LaunchStatistics& launch) override {
    launches.push_back(host::explain(launch, &machine_));
    record.launch(launch.time_us);
  }
  void event(const host::TimelineEvent& event) override {
    record.event(event.kind, event.direction, event.start_us, event.end_us);
  }

  std::vector<host::Explanation> launches;
  host::HostRecord record;

 private:
  const sim::MachineConfig& machine_;
};

Explained explain_target(const Arguments& arguments, std::optional<Output>& json) {
  const ArgumentText& word = arguments.words().front();
  sim::LoadedMachine loaded = load_machine(arguments);
  sim::RunOptions options = run_options(arguments, loaded.machine.config);
  if (options.functional)
    fail(arguments.has("functional") ? arguments.all("functional").front().where : word.where,
         "a functional run has no time to explain",
         arguments.has("functional") ? "" : fmt::format("the machine {} has no timing", loaded.machine.name));
  options.per_instruction = true;
  std::unique_ptr<Target> target = find_target(arguments);
  target->drop_outputs();
  json = output_of(arguments, "json");
  ExplainingObserver observer(loaded.machine.config);
  host::RunReport report =
      run_with_progress(*target, arguments, loaded.machine, options, ProgramOutput::Stderr, &observer);
  if (observer.launches.empty())
    fail(word.where, fmt::format("{} launches no kernel: there is nothing to explain", word.text));
  Explained out{.heading = fmt::format("{} on {}", word.text, loaded.machine.name),
                .launches = std::move(observer.launches),
                .run = observer.record.explain(),
                .status = status_of_checks(report.checks)};
  if (arguments.has("check")) try_findings(*target, arguments, options, out.launches, out.run);
  return out;
}

int execute_explain(const Arguments& arguments) {
  std::optional<Output> json;
  bool is_file = arguments.words().front().text.ends_with(".json");
  Explained explained = is_file ? explain_file(arguments, json) : explain_target(arguments, json);
  if (json) {
    nlohmann::ordered_json all = host::explanation_json(explained.launches, explained.run);
    json->write_all(json_text(all));
  }
  if (!json || !json->is_standard_output())
    print(explained.heading + "\n\n" +
          host::explanation_text(explained.launches, explained.run, arguments.has("check")));
  return explained.status;
}

}  // namespace

Entry explain_command() { return {describe_explain, execute_explain}; }

}  // namespace warptime::cli
