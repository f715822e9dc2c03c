#include "cli/run/run_target.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <thread>
#include <utility>

#include "base/plural.h"
#include "base/standard_streams.h"
#include "cli/cli.h"
#include "cli/home.h"
#include "cli/interruption.h"
#include "cli/machine/machine_option.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/run/plan_target.h"
#include "cli/run/watch.h"
#include "host/launch_file/launch_file.h"
#include "host/launch_file/ptx_run.h"

namespace warptime::cli {

namespace {
#ifdef __EMSCRIPTEN__
unsigned host_cores() { return 1; }  // of a page
#else
unsigned host_cores() { return std::max(1u, std::thread::hardware_concurrency()); }
#endif

class WorkloadTarget : public Target {
 public:
  WorkloadTarget(const host::Workload& workload, host::WorkloadRequest request)
      : workload_(workload), request_(std::move(request)) {}
  std::vector<host::Check> run(host::Device& device, bool check) override {
    request_.check = check;
    return host::run_workload(device, workload_, request_);
  }
  std::vector<ArgumentText> outputs() const override {
    std::vector<ArgumentText> out;
    for (const auto& [name, file] : host::workload_outputs(workload_, request_.outputs)) out.push_back({file, {}});
    return out;
  }
  bool drop_outputs() override { return !std::exchange(request_.outputs, {}).empty(); }
  std::vector<host::Published> published() const override {
    std::vector<host::Published> out;
    for (const host::Published& figure : workload_.published)
      if (request_.variant.empty() || figure.variant == request_.variant) out.push_back(figure);
    return out;
  }

  cpu::CpuReport cpu(const cpu::Cpu& processor, const SourceSpan& where) const override {
    if (!workload_.cpu) fail(where, fmt::format("workload \"{}\" has no CPU baseline", workload_.name));
    return cpu::run_cpu_baseline(processor, workload_.cpu, request_.variant == "all" ? "" : request_.variant,
                                 host::workload_parameters(workload_, request_.parameters));
  }

 private:
  const host::Workload& workload_;
  host::WorkloadRequest request_;
};

void refuse(const Arguments& arguments, std::initializer_list<std::string_view> options, std::string_view where) {
  for (std::string_view option : options)
    if (arguments.has(option))
      fail(arguments.all(option).front().where, fmt::format("--{} goes with {} only", option, where));
}

std::optional<std::string> text(const Arguments& arguments, std::string_view option) {
  auto given = arguments.value(option);
  return given ? std::optional(given->text) : std::nullopt;
}

host::PtxRunOptions ptx_options(const Arguments& arguments) {
  return {.file = arguments.words().front().text,
          .file_where = arguments.words().front().where,
          .kernel = text(arguments, "kernel"),
          .grid = text(arguments, "grid"),
          .block = text(arguments, "block"),
          .buffers = arguments.texts("buffer"),
          .constants = arguments.texts("const"),
          .textures = arguments.texts("texture"),
          .arguments = arguments.texts("arg"),
          .shared = text(arguments, "shared"),
          .registers = text(arguments, "registers"),
          .outputs = arguments.texts("output")};
}

std::vector<std::string_view> workload_names() {
  std::vector<std::string_view> names;
  for (const host::Workload& known : host::workloads()) names.push_back(known.name);
  return names;
}

/// "matmul.ptx" where there is no such file: perhaps the workload was meant.
std::string near_workload(const std::string& file) {
  auto near = nearest(std::filesystem::path(file).stem().string(), workload_names());
  return near ? fmt::format("did you mean the workload \"{}\"?", *near) : std::string();
}

std::unique_ptr<Target> workload_target(std::vector<std::string> parameters, std::vector<std::string> outputs,
                                        const ArgumentText& word,
                                        std::string_view legal =
                                            "a TARGET is a workload, a launch file (.yaml) or a "
                                            "PTX file (.ptx); a CUDA program is run by `warptime exec -- PROGRAM`",
                                        const std::vector<SettingPlace>& places = {}) {
  size_t colon = word.text.find(':');
  std::string name = word.text.substr(0, colon);
  if (name.find_first_of("/.") != std::string::npos)
    fail(word.where, fmt::format("\"{}\" is not a known kind of target", word.text), std::string(legal));
  const host::Workload* workload = host::find_workload(name);
  if (workload == nullptr) {
    std::vector<std::string_view> names = workload_names();
    auto near = nearest(name, names);
    fail(word.where, fmt::format("there is no workload \"{}\"", name),
         near ? fmt::format("did you mean \"{}\"?", *near) : fmt::format("available: {}", fmt::join(names, ", ")));
  }
  if (colon != std::string::npos && colon + 1 == word.text.size())
    fail(word.where, fmt::format("which variant of {}?", name),
         fmt::format("{}:{}", name, fmt::join(workload->variants, fmt::format(" or {}:", name))));
  host::WorkloadRequest request{.variant = colon == std::string::npos ? "" : word.text.substr(colon + 1),
                                .variant_where = word.where,
                                .parameters = std::move(parameters),
                                .parameter_places = places,
                                .outputs = std::move(outputs),
                                .directory = workloads_folder() + "/" + name};
  host::check_request(*workload, request);
  return std::make_unique<WorkloadTarget>(*workload, std::move(request));
}

}  // namespace

cpu::CpuReport Target::cpu(const cpu::Cpu&, const SourceSpan& where) const {
  fail(where, "only a workload has a CPU baseline");
}

void Target::print(const std::vector<std::string>&, const SourceSpan& where) {
  fail(where, "--print goes with a launch file or a PTX file only");
}

std::vector<Option> target_options() {
  using Kind = Option::Kind;
  std::vector<Option> rows =
      in_group(OptionGroup::Target,
               {{"param", Kind::Repeated, Takes::parameter("NAME=VALUE"),
                 "a workload's size or option (`warptime list workloads`), or one of the launch file's `params`"},
                {"output", Kind::Repeated, Takes::output("NAME=FILE"),
                 "PTX file: write a buffer's bytes after the launch; workload: write one of its files"}});
  std::vector<Option> launch = in_group(
      OptionGroup::PtxFile,
      {{"kernel", Kind::Value, "NAME", "the kernel, if the file has several"},
       {"grid", Kind::Value, "X[,Y[,Z]]", "blocks of the grid"},
       {"block", Kind::Value, "X[,Y[,Z]]", "threads per block"},
       {"arg", Kind::Repeated, "TYPE=VALUE|NAME", "the next argument: a value, a buffer's address or a texture"},
       {"buffer", Kind::Repeated, "NAME=TYPE:COUNT[:zeros|iota|random|@FILE]",
        "device memory; also NAME=TYPE:@FILE and NAME=TYPE:[V1,V2,...]"},
       {"shared", Kind::Value, "BYTES", "dynamic shared memory per block, bytes"},
       {"registers", Kind::Value, "R", "registers per thread, instead of the estimate"},
       {"const", Kind::Repeated, "NAME=TYPE:...", "what a .const or .global variable holds, as --buffer"},
       {"texture", Kind::Repeated, "NAME=BUFFER:TYPE:WIDTH[xHEIGHT[xDEPTH]][:KEY=WORD,...]",
        "a .texref, or a texture as an argument; the keys are those of a launch file (filter=linear)"}});
  std::move(launch.begin(), launch.end(), std::back_inserter(rows));
  return rows;
}

Option calls_option() {
  return {"calls", Option::Kind::Flag, "",
          "with each CUDA line all calls that were inlined there, not only the user's own"};
}

std::vector<Option> simulation_options() {
  using Kind = Option::Kind;
  return in_group(OptionGroup::Simulation,
                  {{"functional", Kind::Flag, "", "values only, no timing"},
                   {"max-cycles", Kind::Value, "N",
                    "give up after N shader cycles, or warp instructions in a functional run (exit status 3)"},
                   {"no-check", Kind::Flag, "", "skip the comparison with the CPU reference"},
                   calls_option(),
                   {"sample", Kind::OptionalValue, Takes::words("timing"),
                    "time samples of each launch, execute all of it; timing: execute the samples only, no checks"},
                   {"sample-seed", Kind::Value, "N", "seed for the selection of sampled blocks; default 1"}});
}

std::vector<Option> timed_run_options() {
  std::vector<Option> out = target_options();
  for (Option& option : simulation_options())
    if (option.name != "functional" && !option.name.starts_with("sample")) out.push_back(std::move(option));
  for (Option& option : machine_options()) out.push_back(std::move(option));
  return out;
}

std::unique_ptr<Target> find_target(const Arguments& arguments) {
  return find_target(arguments, arguments.texts("param"));
}

std::unique_ptr<Target> find_target(const Arguments& arguments, std::vector<std::string> parameters) {
  const ArgumentText& word = arguments.words().front();
  bool is_ptx = word.text.ends_with(".ptx");
  bool is_launch_file = is_launch_file_name(word.text);
  if (!is_ptx)
    refuse(arguments, {"kernel", "grid", "block", "buffer", "const", "texture", "arg", "shared", "registers"},
           "a PTX file");
  if (is_launch_file) refuse(arguments, {"output"}, "a workload or a PTX file");
  if (is_ptx) refuse(arguments, {"param"}, "a workload or a launch file");
  if (is_ptx || is_launch_file) read_file(word, near_workload(word.text));
  if (is_ptx) return plan_target(host::plan_ptx_run(ptx_options(arguments)));
  if (is_launch_file) return plan_target(host::load_launch_file(word.text, word.where, parameters));
  return workload_target(std::move(parameters), arguments.texts("output"), word);
}

void check_outputs(const Target& target, const Arguments& arguments) {
  for (const ArgumentText& file : target.outputs())
    check_writable(file, arguments.has("output") ? "--output" : "`outputs:`", arguments);
}

std::unique_ptr<Target> find_named_target(const ArgumentText& word, std::vector<std::string> parameters) {
  if (word.text.ends_with(".ptx"))
    fail(word.where, fmt::format("{} is not one of several targets", word.text),
         "a launch file (.yaml) says how a PTX file is run; alone it takes --kernel, --grid and --block");
  if (!is_launch_file_name(word.text)) return workload_target(std::move(parameters), {}, word);
  read_file(word, near_workload(word.text));
  std::unique_ptr<Target> target = plan_target(host::load_launch_file(word.text, word.where, parameters));
  target->drop_outputs();
  return target;
}

std::string table_target_path(const std::string& target, const std::string& table) {
  return is_launch_file_name(target) ? (std::filesystem::path(table).parent_path() / target).lexically_normal().string()
                                     : target;
}

std::unique_ptr<Target> find_table_target(const ArgumentText& word, const std::string& table,
                                          std::vector<std::string> parameters,
                                          const std::vector<SettingPlace>& places) {
  if (is_launch_file_name(word.text)) {
    auto target =
        plan_target(host::load_launch_file(table_target_path(word.text, table), word.where, parameters, places));
    target->drop_outputs();
    return target;
  }
  return workload_target(std::move(parameters), {}, word,
                         "the target of a validation run is a workload, as `warptime list workloads` shows them: NAME "
                         "or NAME:VARIANT, or a launch file: FILE.yaml",
                         places);
}

uint32_t host_threads(const Arguments& arguments) {
  return static_cast<uint32_t>(arguments.number("threads", 1, 1024).value_or(host_cores()));
}

unsigned jobs_of(const Arguments& arguments) {
  if (arguments.has("jobs") && arguments.has("threads"))
    fail(arguments.value("threads")->where, "--jobs and --threads are the same thing here", "give one of them");
  return static_cast<unsigned>(arguments.number("jobs", 1, 1024).value_or(host_threads(arguments)));
}

namespace {

/// What --sample asks for. The value of a bare --sample is "-" (command_line.cc).
sim::Sampling sampling(const Arguments& arguments, const sim::MachineConfig& machine) {
  auto given = arguments.value("sample");
  if (!given) {
    if (arguments.has("sample-seed")) refuse(arguments, {"sample-seed"}, "--sample");
    return sim::Sampling::Off;
  }
  if (given->text != "-" && given->text != "timing")
    fail(given->where, fmt::format("--sample is given alone or as --sample=timing, not \"{}\"", given->text),
         did_you_mean(given->text, {"timing"}));
  if (arguments.has("functional")) fail(given->where, "--sample is about time, and --functional has none");
  if (!machine.has_timing) fail(given->where, "--sample is about time, and this machine has none");
  return given->text == "-" ? sim::Sampling::FullValues : sim::Sampling::Timing;
}

}  // namespace

sim::RunOptions run_options(const Arguments& arguments, const sim::MachineConfig& machine) {
  sim::RunOptions options;
  options.threads = std::min(host_threads(arguments), machine.chip.tpcs);
  constexpr sim::Step kSteps[] = {sim::Step::Half, sim::Step::Quarter};
  if (auto step = arguments.choice("step", {"half", "quarter"})) options.step = kSteps[*step];
  options.all_calls = arguments.has("calls");
  options.functional = arguments.has("functional") || !machine.has_timing;
  options.attribution = arguments.choice("attribution", {"on", "off"}).value_or(0) == 0;
  options.per_instruction = arguments.has("stats-per-instruction");
  options.sampling = sampling(arguments, machine);
  options.sample_seed = arguments.number("sample-seed", 0, ~uint64_t{0}).value_or(1);
  options.max_cycles = arguments.number("max-cycles", 1, kNever - 1).value_or(kNever);
  return options;
}

void add_figures(const Target& target, host::RunReport& report) {
  for (host::Figure& figure : target.figures(report)) report.figures.push_back(std::move(figure));
  report.figure_checks = target.figure_checks(report);
}

host::RunReport run_to_fault(Target& target, std::string name, const sim::Machine& machine,
                             const sim::RunOptions& options, bool check, std::string& warnings,
                             host::RunObserver* observer, host::Checkpoints* checkpoints) {
  auto start = std::chrono::steady_clock::now();
  host::RunReport report;
  report.machine = machine;
  report.target = std::move(name);
  host::Device device(machine, options);
  device.observe(observer);
  device.checkpoint(checkpoints);
  bool values = options.sampling != sim::Sampling::Timing;
  if (!values && target.drop_outputs())
    device.note("no output is written: --sample=timing does not compute all values");
  try {
    report.checks = target.run(device, check && values);
  } catch (const host::FaultError& error) {
    report.cut = error;  // with its message: the place in the module's source is gone with the device
  }
  warnings = device.warnings();
  report.figures = device.figures();
  if (observer == nullptr) {
    report.launches = device.launches();
    report.timeline = device.timeline();
    if (!report.cut) add_figures(target, report);
  }
  report.host.simulate_seconds = device.simulate_seconds();
  report.host.threads = options.threads;
  report.host.peak_rss_bytes = host::peak_rss_bytes();
  report.host.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

namespace {

host::RunReport throw_if_cut(host::RunReport report) {
  if (report.cut) throw host::FaultError(std::move(*report.cut));
  return report;
}

}  // namespace

host::RunReport run_target(Target& target, std::string name, const sim::Machine& machine,
                           const sim::RunOptions& options, bool check, std::string& warnings,
                           host::RunObserver* observer) {
  return throw_if_cut(run_to_fault(target, std::move(name), machine, options, check, warnings, observer));
}

host::RunReport run_with_progress(Target& target, const Arguments& arguments, const sim::Machine& machine,
                                  sim::RunOptions options, ProgramOutput output, host::RunObserver* observer) {
  return throw_if_cut(run_until_cut(target, arguments, machine, std::move(options), output, observer));
}

host::RunReport run_until_cut(Target& target, const Arguments& arguments, const sim::Machine& machine,
                              sim::RunOptions options, ProgramOutput output, host::RunObserver* observer,
                              host::Checkpoints* checkpoints) {
  std::string warnings;
  const std::optional<uint64_t> timeout = timeout_of(arguments);
  Interruption interruption(timeout);
  options.interrupt = &Interruption::flag();
  host::RunReport report;
  {
    const bool watched = arguments.has("watch");
    Progress progress(!arguments.has("quiet") && !watched);
    Watch watch;
    ProgramPrinter printer([&progress, output](std::string_view text) {
      progress.clear();
      if (output == ProgramOutput::Stdout) write_bytes(text);
      else print_error(text);
    });
    sim::LaunchListener* shown = &progress;
    if (watched) shown = &watch;
    sim::LaunchListeners all{options.listener, shown, &printer};
    options.listener = &all;
    report = run_to_fault(target, arguments.target_name(), machine, options, !arguments.has("no-check"), warnings,
                          observer, checkpoints);
  }
  print_error(warnings);
  if (report.cut && Interruption::flag() == SIGALRM)
    print_error(fmt::format("error: the run was ended after {} (--timeout)\n", plural(*timeout, "second")));
  return report;
}

}  // namespace warptime::cli
