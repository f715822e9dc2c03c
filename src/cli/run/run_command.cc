// `warptime run`: options to a device, a target run on it, its report and summary.
#include <chrono>

#include "base/standard_streams.h"
#include "cli/check/check_options.h"
#include "cli/cli.h"
#include "cli/exec/program_run.h"
#include "cli/machine/machine_option.h"
#include "cli/output.h"
#include "cli/run/checkpoint_options.h"
#include "cli/run/interval_table.h"
#include "cli/run/machine_bands.h"
#include "cli/run/run_record.h"
#include "cli/run/run_target.h"
#include "debug/check/finding_text.h"
#include "host/report/statistics_text.h"
#include "host/report/summary.h"

namespace warptime::cli {

namespace {

const Command& describe_run() {
  using Kind = Option::Kind;
  static const Command command = [] {
    Command c{
        .name = "run",
        .usage = "TARGET [options]  or  run PROG.cu [options] [-- ARGS]",
        .summary = "run a workload, a launch file, a PTX file or a CUDA program on a machine",
        .details =
            "TARGET is a workload (matmul), a variant of one (matmul:tiled), a launch file (x.yaml), or a PTX file\n"
            "(x.ptx, with --grid, --block and its kernel's arguments). PROG.cu, a CUDA program, is compiled by nvcc\n"
            "(else clang++) and run as `warptime exec` does; its ARGS follow after --.\n",
        .options =
            {{"stats", Kind::Value, Takes::file("FILE"),
              "write the statistics: JSON, or CSV if FILE ends in .csv; - for stdout"},
             {"json", Kind::OptionalValue, Takes::file("FILE"),
              "write the statistics as JSON to FILE or standard output"},
             {"cpu", Kind::OptionalValue, Takes::processor("NAME|FILE"),
              fmt::format("also time the workload's CPU reference on this processor; default {}", cpu::kDefaultCpu)},
             {"stats-per-instruction", Kind::Flag, "",
              "with a row for each PTX instruction; for FILE.csv, these are in FILE.instructions.csv"},
             {"print", Kind::Repeated, "NAME[FIRST:END]", "print elements of a buffer after the last launch"},
             {"attribution", Kind::Value, Takes::words("on|off"), "charge stalled issue slots to reasons; default on"},
             {"step", Kind::Value, Takes::words("half|quarter"), "exchange requests more often; the same results"},
             {"threads", Kind::Value, "N", "host threads; default: the host's cores, at most the machine's TPCs"},
             {"interval", Kind::Value, "N=FILE.csv",
              "write what the whole chip did in every N cycles of each launch, a row each; - for stdout"},
             {"watch", Kind::Flag, "",
              "print one line per second to stderr: cycle, instruction rate, blocks, and what issue slots wait for"},
             {"quiet", Kind::Flag, "", "no summary and no progress line"}},
        .examples = {"warptime run matmul", "warptime run matmul:tiled --param n=256 --param tile=8",
                     "warptime run vecadd --stats vecadd.json --quiet",
                     "warptime run vecadd --set memory.partitions=3 --set issue.policy=oldest_first",
                     "warptime run saxpy.yaml --stats -", "warptime run vecadd.cu -- 4096",
                     ("warptime run saxpy.ptx --grid 4 --block 256 --buffer x=f32:1024:iota --buffer y=f32:1024 "
                      "--arg u32=1024 --arg f32=2 --arg x --arg y --output y=y.bin")},
        .min_words = 1,
        .max_words = ~size_t{0},
        .word_name = "TARGET"};
    for (Option& option : check_options("run functionally with")) c.options.push_back(std::move(option));
    for (Option& option : checkpoint_options()) c.options.push_back(std::move(option));
    for (Option& option : simulation_options()) c.options.push_back(std::move(option));
    for (Option& option : machine_options()) c.options.push_back(std::move(option));
    std::vector<Option> target = target_options();
    c.options.insert(c.options.begin(), target.begin(), target.end());
    return c;
  }();
  return command;
}

/// The processor of --cpu.
std::optional<cpu::Cpu> wanted_cpu(const Arguments& arguments) {
  auto given = arguments.value("cpu");
  return given ? std::optional(load_cpu(*given)) : std::nullopt;
}

int execute_run(const Arguments& arguments) {
  if (arguments.words().front().text.ends_with(".cu")) return execute_program(arguments);
  if (arguments.words().size() > 1)
    fail(arguments.words()[1].where,
         fmt::format("`warptime run` takes one TARGET; \"{}\" is too many", arguments.words()[1].text));
  auto start = std::chrono::steady_clock::now();
  sim::LoadedMachine loaded = load_machine(arguments);
  std::unique_ptr<Target> target = find_target(arguments);
  if (arguments.has("print")) target->print(arguments.texts("print"), arguments.all("print").front().where);
  std::optional<cpu::Cpu> cpu = wanted_cpu(arguments);
  std::optional<cpu::CpuReport> baseline;
  if (cpu) baseline = target->cpu(*cpu, arguments.value("cpu")->where);
  check_outputs(*target, arguments);
  std::vector<StatisticsSink> outputs = statistics_sinks(arguments);
  bool quiet = arguments.has("quiet");

  sim::RunOptions options = run_options(arguments, loaded.machine.config);
  std::unique_ptr<debug::Checker> checker = checker_of(arguments, options);
  std::optional<IntervalTable> intervals = interval_table(arguments, options);
  if (intervals) options.listener = &*intervals;
  RunCheckpoints checkpoints(arguments, loaded.machine, options);
  bool stdout_taken = (intervals && intervals->is_standard_output()) || has_standard_output(outputs);
  const host::ErrorBands bands = error_bands_of(loaded);
  RunRecord record(std::move(outputs), loaded.machine, arguments.words().front().text,
                   options.sampling != sim::Sampling::Off, bands);
  host::RunReport report =
      run_until_cut(*target, arguments, loaded.machine, options,
                    stdout_taken ? ProgramOutput::Stderr : ProgramOutput::Stdout, &record, checkpoints.get());
  record.move_to(report);
  if (!report.cut) add_figures(*target, report);
  if (arguments.has("no-check")) report.figure_checks.clear();
  report.cpu = std::move(baseline);
  report.host.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  record.finish(report);
  if (intervals) intervals->finish();
  if (stdout_taken) print_error(target->printed());
  else print(target->printed());
  if (!quiet && !stdout_taken)
    print(host::summarize(report, report.cut ? std::vector<host::Published>{} : target->published(), bands));

  if (checker != nullptr) {
    checker->finish();
    print_error(findings_text(*checker, arguments.has("calls")));
    return end_of_checked_run(report, *checker);
  }
  if (report.cut) checkpoints.note_interruption();
  int status = end_of_run(report);
  checkpoints.finish();
  return status;
}

}  // namespace

Entry run_command() { return {describe_run, execute_run}; }

}  // namespace warptime::cli
