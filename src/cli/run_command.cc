// `warptime run`: options to a device, a target run on it, its report and summary.
#include <algorithm>
#include <chrono>
#include <thread>

#include "cli/cli.h"
#include "cli/machine_option.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/run_target.h"
#include "host/report.h"
#include "host/summary.h"

namespace warptime::cli {

namespace {

const Command& describe() {
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
            {{"param", Kind::Repeated, "NAME=VALUE", "a workload's size or option (`warptime list workloads`)"},
             {"kernel", Kind::Value, "NAME", "PTX file: the kernel, if it has several"},
             {"grid", Kind::Value, "X[,Y[,Z]]", "PTX file: blocks of the grid"},
             {"block", Kind::Value, "X[,Y[,Z]]", "PTX file: threads of a block"},
             {"buffer", Kind::Repeated, "NAME=TYPE:COUNT[:zeros|iota|random|@FILE]", "PTX file: device memory"},
             {"arg", Kind::Repeated, "TYPE=VALUE|NAME", "PTX file: the next argument, a value or a buffer's address"},
             {"shared", Kind::Value, "BYTES", "PTX file: dynamic shared memory of a block"},
             {"registers", Kind::Value, "R", "PTX file: registers a thread, instead of the estimate"},
             {"output", Kind::Repeated, "NAME=FILE", "PTX file: write a buffer's bytes after the launch"},
             {"stats", Kind::Value, "FILE", "write the statistics: JSON, or CSV if FILE ends in .csv; - for stdout"},
             {"json", Kind::OptionalValue, "FILE", "write the statistics as JSON to FILE or standard output"},
             {"stats-per-instruction", Kind::Flag, "", "with a row for each PTX instruction"},
             {"functional", Kind::Flag, "", "values only, no timing"},
             {"max-cycles", Kind::Value, "N", "give up after N shader cycles (exit status 3)"},
             {"no-check", Kind::Flag, "", "skip the comparison with the CPU reference"},
             {"attribution", Kind::Value, "on|off", "charge stalled issue slots to reasons; default on"},
             {"step", Kind::Value, "half|quarter", "exchange requests more often; the same results"},
             {"threads", Kind::Value, "N", "host threads; default: the host's cores, at most the machine's TPCs"},
             {"quiet", Kind::Flag, "", "no summary and no progress line"}},
        .unavailable = {"sample", "sample-seed"},
        .examples = {"warptime run matmul", "warptime run matmul:tiled --param n=256 --param tile=8",
                     "warptime run vecadd --stats vecadd.json --quiet",
                     "warptime run vecadd --set memory.partitions=3 --set issue.policy=oldest_first",
                     "warptime run saxpy.yaml --stats -",
                     ("warptime run saxpy.ptx --grid 4 --block 256 --buffer x=f32:1024:iota --buffer y=f32:1024 "
                      "--arg u32=1024 --arg f32=2 --arg x --arg y --output y=y.bin")},
        .min_words = 1,
        .max_words = 1,
        .word_name = "TARGET"};
    for (Option& option : machine_options()) c.options.push_back(std::move(option));
    return c;
  }();
  return command;
}

uint32_t host_threads(const Arguments& arguments, const sim::MachineConfig& machine) {
  uint64_t wanted = arguments.number("threads", 1, 1024).value_or(std::max(1u, std::thread::hardware_concurrency()));
  return static_cast<uint32_t>(std::min<uint64_t>(wanted, machine.chip.tpcs));
}

sim::RunOptions run_options(const Arguments& arguments, const sim::MachineConfig& machine) {
  sim::RunOptions options;
  options.threads = host_threads(arguments, machine);
  constexpr sim::Step kSteps[] = {sim::Step::Half, sim::Step::Quarter};
  if (auto step = arguments.choice("step", {"half", "quarter"})) options.step = kSteps[*step];
  options.functional = arguments.has("functional") || !machine.has_timing;
  options.attribution = arguments.choice("attribution", {"on", "off"}).value_or(0) == 0;
  options.per_instruction = arguments.has("stats-per-instruction");
  options.max_cycles = arguments.number("max-cycles", 1, kNever - 1).value_or(kNever);
  return options;
}

/// Where the statistics go: a file and whether it is CSV.
struct Sink {
  Given file;
  bool csv = false;
};

std::vector<Sink> sinks(const Arguments& arguments) {
  std::vector<Sink> out;
  if (auto stats = arguments.value("stats")) {
    if (stats->text.empty()) fail(stats->where, "--stats needs a file name");
    out.push_back({*stats, stats->text.ends_with(".csv")});
  }
  if (auto json = arguments.value("json")) out.push_back({*json, false});
  for (const Sink& sink : out) check_writable(sink.file);
  return out;
}

int execute(const Arguments& arguments) {
  auto start = std::chrono::steady_clock::now();
  sim::LoadedMachine loaded = load_machine(arguments);
  std::unique_ptr<Target> target = find_target(arguments);
  std::vector<Sink> outputs = sinks(arguments);
  bool quiet = arguments.has("quiet");

  host::RunReport report;
  {
    Progress progress(!quiet);
    sim::RunOptions options = run_options(arguments, loaded.machine.config);
    options.progress = [&progress](double share) { progress.update(share); };
    host::Device device(loaded.machine, options);
    report.checks = target->run(device, !arguments.has("no-check"));
    progress.clear();
    fmt::print(stderr, "{}", device.warnings());
    report.launches = device.launches();
    report.timeline = device.timeline();
    report.host.simulate_seconds = device.simulate_seconds();
    report.host.threads = options.threads;
  }
  report.machine = loaded.machine;
  report.target = arguments.words().front().text;
  report.host.peak_rss_bytes = host::peak_rss_bytes();
  report.host.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  bool stdout_taken = false;
  for (const Sink& sink : outputs) {
    write_text(sink.file, sink.csv ? host::to_csv(report) : host::to_json_text(report));
    stdout_taken |= sink.file.text == "-";
  }
  if (!quiet && !stdout_taken) print(host::summarize(report, target->published()));

  bool ok = true;
  for (const host::Check& check : report.checks) {
    if (check.ok) continue;
    ok = false;
    fmt::print(stderr, "error: result {} differs from the reference: {}\n", check.name, check.first_failure);
  }
  return ok ? kDone : kCheckFailed;
}

}  // namespace

Entry run_command() { return {describe, execute}; }

}  // namespace warptime::cli
