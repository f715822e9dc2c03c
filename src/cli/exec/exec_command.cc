// `warptime exec`: runs a CUDA program as it is, with the library that simulates the CUDA runtime in its process. What
// the program does comes back through a socket; its exit status becomes this command's.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "base/standard_streams.h"
#include "cli/cli.h"
#include "cli/exec/compile_program.h"
#include "cli/exec/exec_program.h"
#include "cli/exec/exec_record.h"
#include "cli/exec/program_check.h"
#include "cli/exec/program_process.h"
#include "cli/home.h"
#include "cli/machine/machine_option.h"
#include "cli/run/run_target.h"
#include "cuda/settings.h"

namespace warptime::cli {

namespace {

constexpr int kTimedOut = 124;  // as timeout(1)

/// Rows of the table of `warptime run` and `warptime report`, which mean the same here.
void add_rows_of(Entry command, std::initializer_list<std::string_view> names, std::vector<Option>& to) {
  for (const Option& option : command.describe().options)
    if (std::find(names.begin(), names.end(), option.name) != names.end()) to.push_back(option);
}

const Command& describe_exec() {
  using Kind = Option::Kind;
  static const Command command = [] {
    Command c{
        .name = "exec",
        .usage = "[options] -- PROGRAM|PROG.cu [ARGS]",
        .summary = "run a CUDA program as it is, built with nvcc -cudart shared",
        .details =
            "The program's calls of the CUDA runtime (`warptime list cuda`) go to a simulated device in its own\n"
            "process. Launches are numbered from 0. Exit status: the program's; 3 if a launch faulted; 128 + n\n"
            "after signal n; 124 after --timeout.\n"
            "Programs that are started otherwise find the library in the folder that --library-path prints\n"
            "(LD_LIBRARY_PATH). WARPTIME_ and an option's name stand for it there: WARPTIME_MACHINE,\n"
            "WARPTIME_SET (PATH=VALUE, with ; between them), WARPTIME_STATS, WARPTIME_MAX_CYCLES,\n"
            "WARPTIME_LAUNCHES, WARPTIME_FIRST_PER_KERNEL and so on.\n",
        .options =
            {{"launches", Kind::Value, "A:B,N,...",
              "time these launches only, and compute the others; 0:3,100 are 0, 1, 2 and 100"},
             {"first-per-kernel", Kind::Value, "N",
              "of launches that are alike (kernel, grid, block, dynamic shared memory, values of scalars) time the "
              "first N, compute the others, and extrapolate their time"},
             {"functional-before", Kind::Value, "N", "compute the launches before launch N only"},
             {"report", Kind::Value, Takes::file("FILE"),
              "write the page of `warptime report` to FILE.html, with all launches"},
             {"timeline", Kind::Value, Takes::file("FILE"),
              "write copies, fills and kernels by stream to FILE.pftrace or .json for Perfetto; compressed if .gz "
              "follows"},
             {"timeout", Kind::Value, "SECONDS", "end the program after SECONDS of the host's time"},
             {"quiet", Kind::Flag, "", "no summary"},
             {"library-path", Kind::Flag, "", "print the folder of the library, and end"}},
        .examples = {"warptime exec -- ./a.out", "warptime exec --machine jetson-tk1 --stats a.json -- ./a.out 1024",
                     "warptime exec --first-per-kernel 2 --report a.html -- ./a.out",
                     "LD_LIBRARY_PATH=$(warptime exec --library-path) ./a.out"},
        .min_words = 0,
        .max_words = ~size_t{0},
        .word_name = "PROGRAM"};
    add_rows_of(run_command(), {"stats", "json", "stats-per-instruction", "attribution", "threads", "interval"},
                c.options);
    add_rows_of(report_command(), {"sm", "window", "launch"}, c.options);
    add_rows_of(run_command(), {"functional", "max-cycles", "calls", "sample", "sample-seed"}, c.options);
    for (Option& option : machine_options()) c.options.push_back(std::move(option));
    return c;
  }();
  return command;
}

/// The program may change its folder.
std::string absolute_path(const std::string& file) { return std::filesystem::absolute(file).string(); }

void set_variable(const std::string& name, const std::string& value) { setenv(name.c_str(), value.c_str(), 1); }

/// Options as the library in the program's process reads them; those that were not given stay as they are there.
void set_environment(const Arguments& arguments, const std::string& library, const ProgramFile& program) {
  const char* before = std::getenv("LD_LIBRARY_PATH");
  set_variable("LD_LIBRARY_PATH", before == nullptr || *before == '\0' ? library : library + ":" + before);
  if (!program.preload.empty()) set_variable("LD_PRELOAD", program.preload);
  set_variable("WARPTIME_HOME", absolute_path(home()));
  if (auto machine = arguments.value("machine"))
    set_variable(cuda::variable_of("machine"),
                 std::filesystem::exists(machine->text) ? absolute_path(machine->text) : machine->text);
  if (arguments.has("set"))
    set_variable(cuda::variable_of("set"), fmt::format("{}", fmt::join(arguments.texts("set"), ";")));
  for (std::string_view option : cuda::kRunSettings)
    if (auto given = arguments.value(option))
      set_variable(cuda::variable_of(option), given->text.empty() ? "1" : given->text);
}

/// Options that say which launches are timed. Throws host::InputError.
void check_choice(const Arguments& arguments, const sim::RunOptions& options, bool has_timing) {
  cuda::LaunchChoice choice;
  arguments.number("first-per-kernel", 1, 1'000'000'000);
  arguments.number("functional-before", 0, ~uint64_t{0});
  if (auto list = arguments.value("launches"); list && !cuda::parse_launches(list->text, choice))
    fail(list->where, fmt::format("\"{}\" is not a list of launches", list->text),
         "as in --launches 0:3,100, which are launches 0, 1, 2 and 100");
  for (std::string_view option : {"launches", "first-per-kernel", "functional-before"})
    if (auto given = arguments.value(option); given && options.functional)
      fail(given->where, fmt::format("--{} is about time, and {}", option,
                                     has_timing ? "--functional has none" : "this machine has none"));
  if (auto sample = arguments.value("sample")) {
    if (options.sampling == sim::Sampling::Timing)
      fail(sample->where, "--sample=timing does not compute all values, and the program needs them", "--sample");
    if (auto first = arguments.value("first-per-kernel"))
      fail(first->where, "--first-per-kernel does not go with --sample", "give one of them");
  }
}

/// Whether the environment has it, which the library will read: a variable may stand for an option.
bool is_set(std::string_view option) {
  const char* value = std::getenv(cuda::variable_of(option).c_str());
  return value != nullptr && *value != '\0';
}

sim::LoadedMachine machine_of(const Arguments& arguments) {
  const char* named = std::getenv(cuda::variable_of("machine").c_str());
  if (arguments.has("machine") || named == nullptr || *named == '\0') return load_machine(arguments);
  return load_machine(arguments, ArgumentText{named, {}});
}

int execute_exec(const Arguments& arguments) {
  if (arguments.has("library-path")) {
    print(cuda_folder() + "\n");
    return kDone;
  }
  if (arguments.words().empty())
    fail(arguments.whole(), "`warptime exec` needs a PROGRAM", "usage: warptime exec [options] -- PROGRAM [ARGS]");
  return execute_program(arguments);
}

}  // namespace

int execute_program(const Arguments& arguments) {
  for (const auto& [name, values] : arguments.options()) {
    const std::vector<Option>& known = describe_exec().options;
    if (std::none_of(known.begin(), known.end(), [&](const Option& option) { return option.name == name; }))
      fail(values.front().where, fmt::format("--{} does not go with a CUDA program", name));
  }
  const std::string library = cuda_folder();
  const ArgumentText& word = arguments.words().front();
  sim::LoadedMachine loaded = machine_of(arguments);
  const sim::MachineConfig& machine = loaded.machine.config;
  sim::RunOptions options = run_options(arguments, machine);
  check_choice(arguments, options, machine.has_timing);
  const auto timeout = arguments.number("timeout", 1, 1'000'000'000);
  std::optional<CompiledProgram> compiled;
  if (word.text.ends_with(".cu")) compiled.emplace(word, machine, library, arguments.has("quiet"));
  const ProgramFile program = check_program(compiled ? ArgumentText{compiled->path(), word.where} : word, library);
  set_environment(arguments, library, program);
  options.functional = options.functional || is_set("functional");
  if (is_set("sample")) options.sampling = sim::Sampling::FullValues;
  if (is_set("first-per-kernel")) options.sampling = sim::Sampling::FirstLaunches;
  const bool partly = is_set("launches") || is_set("first-per-kernel") || is_set("functional-before");

  const auto start = std::chrono::steady_clock::now();
  ExecRecord record(arguments, std::move(loaded), options, partly);
  if (record.has_page()) set_variable(cuda::variable_of("stats-per-instruction"), "1");
  set_variable(cuda::kTracedVariable, record.has_page() ? record.traced_text() : "");
  set_variable(cuda::kIntervalVariable, fmt::format("{}", record.interval_cycles()));
  cuda::RecordReader reader(record);
  PacketServer server([&](size_t process, auto packet) { reader.take(process, packet); });
  std::vector<std::string> words;
  for (const ArgumentText& each : arguments.words()) words.push_back(each.text);
  if (compiled) words.front() = program.path;
  const ProgramEnd end = run_process(program.path, std::move(words), &server, timeout);
  if (!arguments.has("quiet")) print_error(record.summary());
  if (end.timed_out) print_error(fmt::format("error: {} was ended after {} s (--timeout)\n", word.text, *timeout));
  record.finish(end.was_killed || reader.is_cut(),
                std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  if (end.timed_out) return kTimedOut;
  return record.faulted() ? kSimulatedFault : end.status;
}

Entry exec_command() { return {describe_exec, execute_exec}; }

}  // namespace warptime::cli
