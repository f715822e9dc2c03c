#include "cli/exec/program_run.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "base/descriptors.h"
#include "base/parse_number.h"
#include "base/plural.h"
#include "base/standard_streams.h"
#include "base/system_error.h"
#include "cli/check/check_result.h"
#include "cli/cli.h"
#include "cli/exec/compile_program.h"
#include "cli/exec/exec_findings.h"
#include "cli/exec/exec_record.h"
#include "cli/exec/program_check.h"
#include "cli/exec/program_process.h"
#include "cli/home.h"
#include "cli/interruption.h"
#include "cli/machine/machine_option.h"
#include "cli/run/run_target.h"
#include "cuda/program_checks.h"
#include "cuda/settings.h"
#include "debug/check/finding_text.h"

namespace warptime::cli {

namespace {

/// The program may change its folder.
std::string absolute_path(const std::string& file) { return std::filesystem::absolute(file).string(); }

void set_variable(const std::string& name, const std::string& value) { setenv(name.c_str(), value.c_str(), 1); }

/// The launches that are to be written as launch files.
void set_capture(const Arguments& arguments) {
  const auto& numbers = arguments.all("capture-launch");
  for (const ArgumentText& number : numbers)
    if (uint64_t value = 0; parse_number(number.text, value) != NumberError::Ok)
      fail(number.where, fmt::format("--capture-launch requires a whole number, not \"{}\"", number.text));
  auto folder = arguments.value("capture");
  if (!folder && !numbers.empty()) fail(numbers.front().where, "--capture-launch goes with --capture FOLDER only");
  if (folder) {
    std::error_code error;
    std::filesystem::create_directories(folder->text, error);
    if (error) fail(folder->where, fmt::format("cannot make folder {}: {}", folder->text, error_text(error.value())));
    set_variable(cuda::variable_of("capture"), absolute_path(folder->text));
  }
  if (!numbers.empty())
    set_variable(cuda::variable_of("capture-launch"),
                 fmt::format("{}", fmt::join(arguments.texts("capture-launch"), ",")));
}

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
  set_capture(arguments);
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
    if (auto given = arguments.value(option); given && (options.functional || arguments.has("capture")))
      fail(given->where, fmt::format("--{} is about time, and {}", option,
                                     arguments.has("capture") ? "--capture has none"
                                     : has_timing             ? "--functional has none"
                                                              : "this machine has none"));
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

/// A file without a name for what the program's processes leave.
Descriptor record_file() {
  Descriptor file(unnamed_file());
  if (file.number() < 0)
    throw host::InputError(fmt::format("error: there is no room for a temporary file: {}\n", error_text(errno)));
  fcntl(file.number(), F_SETFL, O_APPEND);
  return file;
}

/// Why the run failed, but for what was found; empty: it did not.
std::string end_text(const ProgramEnd& end, const Arguments& arguments) {
  constexpr int kFirstOfSignals = 128;
  if (end.timed_out) return fmt::format("ended after {} (--timeout)", plural(*timeout_of(arguments), "second"));
  if (end.was_killed) return fmt::format("signal {}", end.status - kFirstOfSignals);
  return end.status == 0 ? "" : fmt::format("exit status {}", end.status);
}

bool has_error(const std::vector<nlohmann::ordered_json>& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const auto& finding) { return finding["severity"] == "error"; });
}

/// Not a file that cannot hold them.
void check_files_without_checkers(const Arguments& arguments) {
  for (const char* option : {"sarif", "junit"})
    if (arguments.has(option))
      fail(arguments.value(option)->where, fmt::format("--{} goes with checkers only", option),
           "--check-memory, --check-init, --check-races, --check-sync; or "
           "`warptime check -- PROGRAM` with all");
}

/// What the checkers found, in a file that each process of the program opens. A `warptime check` around this one gets
/// all, too.
class FoundLines {
 public:
  FoundLines() : file_(record_file()) {
    const char* outer = std::getenv(cuda::kFindingsVariable);
    around_ = Descriptor(outer == nullptr ? -1 : open_to_append(outer));
    set_variable(cuda::kFindingsVariable, fmt::format("/proc/{}/fd/{}", getpid(), file_.number()));
  }
  ExecFindings read() const {
    const std::string lines = contents_of_file(file_.number());
    if (around_.number() >= 0) write_whole(around_.number(), lines);
    return read_findings(lines);
  }

 private:
  Descriptor file_, around_;
};

}  // namespace

int run_cuda_program(const Arguments& arguments, const std::vector<ArgumentText>& words, const ProgramRun& run) {
  const std::string library = cuda_folder();
  const ArgumentText& word = words.front();
  const bool by_environment = !arguments.has("machine") && is_set("machine");
  const std::optional<ArgumentText> named =
      by_environment ? std::optional(ArgumentText{std::getenv(cuda::variable_of("machine").c_str()), {}})
                     : std::nullopt;
  sim::LoadedMachine loaded = load_machine(arguments, named, run.machine);
  const sim::Machine machine = loaded.machine;
  sim::RunOptions options = run_options(arguments, machine.config);
  check_choice(arguments, options, machine.config.has_timing);
  const std::optional<uint64_t> timeout = timeout_of(arguments);
  if (run.checkers.empty()) check_files_without_checkers(arguments);
  CheckFiles files(arguments, run.json_of_findings);
  std::optional<CompiledProgram> compiled;
  if (word.text.ends_with(".cu")) compiled.emplace(word, machine.config, library, arguments.has("quiet"));
  const ProgramFile program = check_program(compiled ? ArgumentText{compiled->path(), word.where} : word, library);
  set_environment(arguments, library, program);
  if (!by_environment && !arguments.has("machine"))
    set_variable(cuda::variable_of("machine"), std::string(run.machine));
  if (!run.checkers.empty()) set_variable("WARPTIME_CHECK", run.checkers);
  options.functional = options.functional || is_set("functional") || is_set("check") || is_set("capture");
  if (is_set("sample")) options.sampling = sim::Sampling::FullValues;
  if (is_set("first-per-kernel")) options.sampling = sim::Sampling::FirstLaunches;
  const bool partly = is_set("launches") || is_set("first-per-kernel") || is_set("functional-before");

  const auto start = std::chrono::steady_clock::now();
  ExecRecord record({arguments, word.text, run.json_of_findings}, std::move(loaded), options, partly);
  if (record.has_page()) set_variable(cuda::variable_of("stats-per-instruction"), "1");
  set_variable(cuda::kTracedVariable, record.has_page() ? record.traced_text() : "");
  set_variable(cuda::kIntervalVariable, fmt::format("{}", record.interval_cycles()));
  const FoundLines found;
  cuda::RecordReader reader(record);
  PacketServer server([&](size_t process, auto packet) { reader.take(process, packet); });
  std::vector<std::string> texts;
  for (const ArgumentText& each : words) texts.push_back(each.text);
  if (compiled) texts.front() = program.path;
  const ProgramEnd end = run_process(program.path, std::move(texts), &server, timeout);

  const ExecFindings findings = found.read();
  for (const auto& finding : findings.all) print_error(finding["text"].get<std::string>());
  for (const std::string& note : findings.notes) print_error(fmt::format("note: {}\n", note));
  if (!arguments.has("quiet")) {
    print_error(record.summary());
    if (!run.checkers.empty())
      print_error(fmt::format("{} on {}: {}\n", word.text, machine.name, debug::findings_summary(findings.all)));
  }
  if (end.timed_out)
    print_error(fmt::format("error: {} was ended after {} (--timeout)\n", word.text, plural(*timeout, "second")));
  const bool faulted = record.faulted() || has_error(findings.all);
  const int status = end.timed_out ? kTimedOut : faulted ? kSimulatedFault : end.status;
  files.write({.target = word.text,
               .machine = machine.name,
               .machine_hash = machine.hash,
               .seed = arguments.number("adversarial", 0, ~uint64_t{0}),
               .complete = !end.timed_out && !end.was_killed && !record.faulted(),
               .end = end_text(end, arguments),
               .findings = findings.all,
               .notes = findings.notes,
               .kernels = record.kernels(),
               .status = status});
  record.finish(end.was_killed || reader.is_cut(),
                std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  return status;
}

}  // namespace warptime::cli
