// `warptime measure`: a target's launches on a GPU, beside their simulation.
#include "cli/measure/measure_command.h"

#include <algorithm>

#include "base/standard_streams.h"
#include "cli/cli.h"
#include "cli/machine/machine_option.h"
#include "cli/measure/measure_report.h"
#include "cli/output.h"
#include "cli/run/run_target.h"

namespace warptime::cli {

namespace {

/// It has every feature; without timing, nothing is simulated.
constexpr std::string_view kMeasureMachine = "generic";

const Command& describe_measure() {
  using Kind = Option::Kind;
  static const Command command = [] {
    Command c{
        .name = "measure",
        .usage = "TARGET|micro [options]",
        .summary = "time a program's launches on this machine's GPU, beside their simulation",
        .details =
            "Runs TARGET, as `warptime run` does, on the first GPU of this machine, through the NVIDIA driver\n"
            "(libcuda.so.1), which compiles its PTX. Results are compared with the reference. Each launch is timed\n"
            "with a cold L2, after the same launch (warm), and 20 in a row. With --machine, the same is simulated.\n"
            "`micro` measures latencies, rates and sizes of the GPU by kernels of its own; if the GPU refuses one,\n"
            "its values are missing, and the exit status is 1. With --machine, they are simulated, too, and compared\n"
            "with the GPU's or, with --measured, with those that were written by --csv.\n",
        .options = {{"json", Kind::OptionalValue, Takes::file("FILE"), "write it as JSON to FILE or standard output"},
                    {"csv", Kind::Value, Takes::file("FILE"), "write a row for each launch; - for stdout"},
                    {"validation", Kind::Value, Takes::file("FILE.yaml"), "write a validation table of the cold times"},
                    {"only", Kind::Repeated, "BEGINNING", "micro: only values whose names begin so"},
                    {"machine-file", Kind::Value, Takes::file("NEW.yaml"),
                     "micro: write a machine file of what the values determine"},
                    {"extends", Kind::Value, Takes::machine("NAME|FILE"), "micro: the machine that the file extends"},
                    {"measured", Kind::Value, Takes::file("FILE.csv"),
                     "micro: with --machine, compare with the values of this file in place of a GPU's"},
                    {"repetitions", Kind::Value, "N", "how often each launch is timed; default 11"},
                    {"first-per-kernel", Kind::Value, "N", "time only the first N launches of each kernel"},
                    {"no-check", Kind::Flag, "", "skip the comparison with the CPU reference"},
                    {"threads", Kind::Value, "N", "host threads of the simulation"},
                    {"quiet", Kind::Flag, "", "no table and no progress line"}},
        .unavailable = {},
        .examples = {"warptime measure matmul:tiled --param n=512",
                     "warptime measure micro --only latency/ --csv latencies.csv",
                     "warptime measure micro --only shared/ --machine h200-sxm --measured validation/hopper/micro.csv",
                     "warptime measure micro --machine-file mine.yaml --extends geforce-gtx-480",
                     "warptime measure saxpy.yaml --machine my-gpu.yaml --validation saxpy-measured.yaml"},
        .min_words = 1,
        .max_words = 1,
        .word_name = "TARGET"};
    for (Option& option : machine_options(kMeasureMachine)) c.options.push_back(std::move(option));
    std::vector<Option> target = target_options();
    c.options.insert(c.options.begin(), target.begin(), target.end());
    return c;
  }();
  return command;
}

/// Runs the target on the GPU.
void run_on_gpu(Target& target, const Arguments& arguments, const sim::Machine& machine, MeasureReport& report) {
  measure::Gpu gpu(measure::load_driver());
  measure::LaunchTimer timer(gpu, report.repetitions);
  measure::GpuDevice on_gpu(gpu, timer, arguments.number("first-per-kernel", 1, ~uint64_t{0}).value_or(~uint64_t{0}));
  host::Device device(machine, {});
  device.attach(&on_gpu);
  report.checks = target.run(device, !arguments.has("no-check"));
  print_error(device.warnings());
  report.launches = on_gpu.launches();
  report.gpu = {gpu.description(), timer.sm_mhz(), timer.empty().cold.median()};
}

void simulate(Target& target, const Arguments& arguments, const sim::Machine& machine, MeasureReport& report) {
  host::RunReport run =
      run_with_progress(target, arguments, machine, run_options(arguments, machine.config), ProgramOutput::Stderr);
  report.machine = machine.name;
  report.overrides = arguments.texts("set");
  for (const sim::LaunchStatistics& launch : run.launches) report.simulated_us.push_back(launch.time_us);
  if (run.launches.size() == report.launches.size()) return;
  print_error(fmt::format("warptime: note: {} launches were measured and {} simulated, so they are not compared\n",
                          report.launches.size(), run.launches.size()));
  report.simulated_us.clear();
}

}  // namespace

bool takes_stdout(const std::optional<Output>& output) { return output && output->is_standard_output(); }

void refuse_options(const Arguments& arguments, std::initializer_list<std::string_view> options,
                    std::string_view with) {
  for (std::string_view option : options)
    if (arguments.has(option))
      fail(arguments.all(option).front().where, fmt::format("--{} goes with {} only", option, with));
}

namespace {

int measure_target(const Arguments& arguments) {
  refuse_options(arguments, {"only", "machine-file", "extends", "measured"}, "`measure micro`");
  sim::LoadedMachine loaded = load_machine(arguments, {}, kMeasureMachine);
  std::unique_ptr<Target> target = find_target(arguments);
  target->drop_outputs();
  std::optional<Output> json = output_of(arguments, "json");
  std::optional<Output> csv = output_of(arguments, "csv");
  std::optional<Output> validation = output_of(arguments, "validation");
  MeasureReport report;
  report.target = arguments.target_name();
  report.parameters = arguments.texts("param");
  report.repetitions = static_cast<uint32_t>(arguments.number("repetitions", 1, 1'000'000).value_or(kRepetitions));
  run_on_gpu(*target, arguments, loaded.machine, report);
  if (loaded.machine.config.has_timing) simulate(*target, arguments, loaded.machine, report);
  if (json) json->write_all(measure_json(report));
  if (csv) csv->write_all(measure_csv(report));
  if (validation) validation->write_all(measure_validation(report));
  if (!arguments.has("quiet") && !takes_stdout(json) && !takes_stdout(csv) && !takes_stdout(validation))
    print(measure_text(report));
  return status_of_checks(report.checks);
}

int execute_measure(const Arguments& arguments) {
  try {
    return arguments.words().front().text == "micro" ? measure_microbenchmarks(arguments) : measure_target(arguments);
  } catch (const measure::GpuFault& fault) {
    print_error(fmt::format("error: {}\n", fault.what()));
    return kSimulatedFault;
  }
}

}  // namespace

Entry measure_command() { return {describe_measure, execute_measure}; }

}  // namespace warptime::cli
