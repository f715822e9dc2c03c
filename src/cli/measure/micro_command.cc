// `warptime measure micro`: on a GPU, on a simulated machine, or both.
#include <algorithm>

#include "base/parse_number.h"
#include "base/standard_streams.h"
#include "cli/cli.h"
#include "cli/machine/machine_option.h"
#include "cli/measure/measure_command.h"
#include "cli/measure/micro_report.h"
#include "cli/plot/plot_table.h"
#include "cli/run/run_target.h"

namespace warptime::cli {

namespace {

/// A beginning of --only that selected nothing is a value that is missing; if all are such, the command is refused.
void check_selection(const Arguments& arguments, measure::MicroResults& results) {
  const bool is_empty = results.values.empty() && results.failures.empty();
  for (const ArgumentText& only : arguments.all("only")) {
    if (is_empty)
      fail(only.where, fmt::format("no value's name begins with \"{}\"", only.text),
           "names begin with latency/, throughput/, barrier/, shared/, constant/, chase/, l1/, atomics/, bandwidth/, "
           "ports/, "
           "launch/ or sm_clock");
    auto is_of = [&](const std::string& name) { return name.starts_with(only.text) || only.text.starts_with(name); };
    const bool was_measured = std::any_of(results.values.begin(), results.values.end(),
                                          [&](const auto& value) { return value.name.starts_with(only.text); });
    const bool has_failed = std::any_of(results.failures.begin(), results.failures.end(),
                                        [&](const auto& failure) { return is_of(failure.name); });
    if (!was_measured && !has_failed && !results.has_fault)
      results.failures.push_back({only.text, "no value has a name that begins so"});
  }
}

/// The values of a file that --csv wrote, as far as --only selects them.
measure::MicroResults read_measured(const ArgumentText& file, const std::vector<std::string>& only) {
  const PlotTable table = read_plot_table({file});
  auto column = [&](const char* name) { return plot_column(table, {name, file.where}); };
  const size_t names = column("name"), values = column("value"), units = column("unit"), kernels = column("kernel");
  measure::MicroResults out;
  for (const auto& row : table.rows) {
    if (!measure::is_selected(row[names].text, only)) continue;
    double value = 0;
    if (parse_number(row[values].text, value) != NumberError::Ok)
      fail(row[values].where, fmt::format("\"{}\" is not a number", row[values].text));
    out.values.push_back({row[names].text, value, row[units].text, row[kernels].text});
  }
  return out;
}

void measure_on_gpu(const Arguments& arguments, MicroReport& report) {
  measure::Gpu gpu(measure::load_driver());
  measure::LaunchTimer timer(gpu, kRepetitions);
  report.results = measure::measure_micro(*measure::micro_gpu(gpu, timer), arguments.texts("only"));
  report.gpu = {gpu.description(), report.results.has_fault ? 0 : timer.sm_mhz(), 0};
}

/// Also the names of those that are simulated and were not measured.
void simulate(const Arguments& arguments, const sim::Machine& machine, MicroReport& report) {
  host::Device device(machine, run_options(arguments, machine.config));
  report.machine = machine.name;
  measure::MicroResults simulated = measure::measure_micro(*measure::micro_gpu(device), arguments.texts("only"));
  report.simulated = std::move(simulated.values);
  for (measure::MicroFailure& failure : simulated.failures) {
    failure.name += " of the simulation";
    report.results.failures.push_back(std::move(failure));
  }
}

/// The machine of --machine, which has timing; nullopt: none was named.
std::optional<sim::LoadedMachine> simulated_machine(const Arguments& arguments) {
  for (const char* with : {"measured", "set"})
    if (arguments.has(with) && !arguments.has("machine"))
      fail(arguments.all(with).front().where, fmt::format("--{} goes with --machine", with));
  if (!arguments.has("machine")) return std::nullopt;
  sim::LoadedMachine loaded = load_machine(arguments);
  if (!loaded.machine.config.has_timing)
    fail(arguments.all("machine").front().where,
         fmt::format("machine \"{}\" has no timing, so none of its values can be simulated", loaded.machine.name));
  return loaded;
}

void write_machine_file(const MicroReport& report, const ArgumentText& base, Output& file) {
  std::string warnings;
  const sim::LoadedMachine extended = load_machine(base, {}, warnings);
  const std::vector<MeasuredParameter> parameters = measured_parameters(report, extended.machine.config);
  std::vector<std::string> overrides;
  for (const MeasuredParameter& parameter : parameters) overrides.push_back(parameter.path + "=" + parameter.value);
  load_machine(base, overrides, warnings);  // fails if the machine refuses them
  file.write_all(micro_machine(report, base.text, parameters));
  print_error(warnings);
}

}  // namespace

int measure_microbenchmarks(const Arguments& arguments) {
  refuse_options(arguments, {"validation", "first-per-kernel", "no-check", "param"}, "a TARGET");
  const std::optional<ArgumentText> base = arguments.value("extends"), measured = arguments.value("measured");
  if (base.has_value() != arguments.has("machine-file"))
    fail(arguments.all(base ? "extends" : "machine-file").front().where, "--machine-file and --extends go together");
  if (measured && base)
    fail(arguments.all("machine-file").front().where, "--machine-file goes with a GPU, --measured without one");
  std::string warnings;
  if (base) load_machine(base, {}, warnings);
  const std::optional<sim::LoadedMachine> machine = simulated_machine(arguments);
  MicroReport report;
  if (measured) report.results = read_measured(*measured, arguments.texts("only"));
  std::optional<Output> json = output_of(arguments, "json");
  std::optional<Output> csv = output_of(arguments, "csv");
  std::optional<Output> file = output_of(arguments, "machine-file");
  if (measured) report.file = measured->text;
  else measure_on_gpu(arguments, report);
  check_selection(arguments, report.results);
  if (machine) simulate(arguments, machine->machine, report);
  for (const measure::MicroFailure& failure : report.results.failures)
    print_error(fmt::format("warptime: note: {} is missing: {}\n", failure.name, failure.message));
  if (json) json->write_all(micro_json(report));
  if (csv) csv->write_all(micro_csv(report));
  if (file) write_machine_file(report, *base, *file);
  if (!arguments.has("quiet") && !takes_stdout(json) && !takes_stdout(csv) && !takes_stdout(file))
    print(micro_text(report));
  if (report.results.has_fault) return kSimulatedFault;
  return report.results.failures.empty() ? kDone : kCheckFailed;
}

}  // namespace warptime::cli
