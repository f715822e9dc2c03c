// `warptime run`: options to a device, a target run on it, its report and summary.
#include <algorithm>
#include <chrono>

#include "cli/cli.h"
#include "cli/machine_option.h"
#include "cli/output.h"
#include "cli/run_target.h"
#include "host/summary.h"

namespace warptime::cli {

namespace {

const Command& describe_run() {
  using Kind = Option::Kind;
  static const Command command = [] {
    Command c{
        .name = "run",
        .usage = "TARGET [options]",
        .summary = "run a workload, a launch file or a PTX file on a machine",
        .details =
            "TARGET is a workload (matmul), a variant of one (matmul:tiled), a launch file (x.yaml), or a PTX file\n"
            "(x.ptx, with --grid, --block and what its kernel needs).\n",
        .options =
            {{"stats", Kind::Value, "FILE", "write the statistics: JSON, or CSV if FILE ends in .csv; - for stdout"},
             {"json", Kind::OptionalValue, "FILE", "write the statistics as JSON to FILE or standard output"},
             {"cpu", Kind::OptionalValue, "NAME|FILE",
              fmt::format("time the workload's CPU reference, too, on this processor; default {}", host::kDefaultCpu)},
             {"stats-per-instruction", Kind::Flag, "", "with a row for each PTX instruction"},
             {"attribution", Kind::Value, "on|off", "charge stalled issue slots to reasons; default on"},
             {"step", Kind::Value, "half|quarter", "exchange requests more often; the same results"},
             {"threads", Kind::Value, "N", "host threads; default: the host's cores, at most the machine's TPCs"},
             {"quiet", Kind::Flag, "", "no summary and no progress line"}},
        .examples = {"warptime run matmul", "warptime run matmul:tiled --param n=256 --param tile=8",
                     "warptime run vecadd --stats vecadd.json --quiet",
                     "warptime run vecadd --set memory.partitions=3 --set issue.policy=oldest_first",
                     "warptime run saxpy.yaml --stats -",
                     ("warptime run saxpy.ptx --grid 4 --block 256 --buffer x=f32:1024:iota --buffer y=f32:1024 "
                      "--arg u32=1024 --arg f32=2 --arg x --arg y --output y=y.bin")},
        .min_words = 1,
        .max_words = 1,
        .word_name = "TARGET"};
    for (Option& option : simulation_options()) c.options.push_back(std::move(option));
    for (Option& option : machine_options()) c.options.push_back(std::move(option));
    std::vector<Option> target = target_options();
    c.options.insert(c.options.begin(), target.begin(), target.end());
    return c;
  }();
  return command;
}

/// Where the statistics go: a file and whether it is CSV.
struct Sink {
  Output out;
  bool csv = false;
};

std::vector<Sink> sinks(const Arguments& arguments) {
  std::vector<Sink> out;
  if (auto stats = arguments.value("stats")) {
    if (stats->text.empty()) fail(stats->where, "--stats needs a file name");
    out.push_back({Output(*stats, "--stats", arguments), stats->text.ends_with(".csv")});
  }
  if (auto json = output_of(arguments, "json")) out.push_back({std::move(*json), false});
  return out;
}

/// The processor of --cpu.
std::optional<host::Cpu> wanted_cpu(const Arguments& arguments) {
  auto given = arguments.value("cpu");
  return given ? std::optional(load_cpu(*given)) : std::nullopt;
}

int execute_run(const Arguments& arguments) {
  auto start = std::chrono::steady_clock::now();
  sim::LoadedMachine loaded = load_machine(arguments);
  std::unique_ptr<Target> target = find_target(arguments);
  std::optional<host::Cpu> cpu = wanted_cpu(arguments);
  std::optional<host::CpuReport> baseline;
  if (cpu) baseline = target->cpu(*cpu, arguments.value("cpu")->where);
  check_outputs(*target, arguments);
  std::vector<Sink> outputs = sinks(arguments);
  bool quiet = arguments.has("quiet");

  bool stdout_taken =
      std::any_of(outputs.begin(), outputs.end(), [](const Sink& sink) { return sink.out.is_standard_output(); });
  host::RunReport report =
      run_with_progress(*target, arguments, loaded.machine, run_options(arguments, loaded.machine.config),
                        stdout_taken ? ProgramOutput::Stderr : ProgramOutput::Stdout);
  report.cpu = std::move(baseline);
  report.host.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  for (Sink& sink : outputs) sink.out.write_all(sink.csv ? host::to_csv(report) : host::to_json_text(report));
  if (!quiet && !stdout_taken) print(host::summarize(report, target->published()));

  return status_of_checks(report.checks);
}

}  // namespace

Entry run_command() { return {describe_run, execute_run}; }

}  // namespace warptime::cli
