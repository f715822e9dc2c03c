#include "cli/exec/program_run.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/descriptors.h"
#include "base/plural.h"
#include "base/standard_streams.h"
#include "base/system_error.h"
#include "cli/check/check_result.h"
#include "cli/cli.h"
#include "cli/exec/child_program.h"
#include "cli/exec/exec_findings.h"
#include "cli/exec/exec_summary.h"
#include "cli/exec/program_check.h"
#include "cli/home.h"
#include "cli/interruption.h"
#include "cli/machine/machine_option.h"
#include "cuda/program_checks.h"
#include "cuda/recorder.h"
#include "debug/check/finding_text.h"

namespace warptime::cli {

namespace {

/// The program may change its folder.
std::string absolute_path(const std::string& file) { return std::filesystem::absolute(file).string(); }

void set_variable(const char* name, const std::string& value) { setenv(name, value.c_str(), 1); }

/// Options as the library in the program's process reads them; those that were not given stay as they are there.
void set_environment(const Arguments& arguments, const std::string& library, const ProgramFile& program) {
  const char* before = std::getenv("LD_LIBRARY_PATH");
  set_variable("LD_LIBRARY_PATH", before == nullptr || *before == '\0' ? library : library + ":" + before);
  if (!program.preload.empty()) set_variable("LD_PRELOAD", program.preload);
  set_variable("WARPTIME_HOME", absolute_path(home()));
  if (auto machine = arguments.value("machine"))
    set_variable("WARPTIME_MACHINE",
                 std::filesystem::exists(machine->text) ? absolute_path(machine->text) : machine->text);
  if (arguments.has("set")) set_variable("WARPTIME_SET", fmt::format("{}", fmt::join(arguments.texts("set"), ";")));
  if (auto stats = arguments.value("stats"))
    set_variable("WARPTIME_STATS", stats->text == "-" ? "/dev/stdout" : absolute_path(stats->text));
  if (auto threads = arguments.number("threads", 1, 1024))
    set_variable("WARPTIME_THREADS", fmt::format("{}", *threads));
  if (auto cycles = arguments.number("max-cycles", 1, kNever - 1))
    set_variable("WARPTIME_MAX_CYCLES", fmt::format("{}", *cycles));
  if (arguments.has("functional")) set_variable("WARPTIME_FUNCTIONAL", "1");
  if (arguments.has("calls")) set_variable("WARPTIME_CALLS", "1");
  if (auto seed = arguments.number("adversarial", 0, ~uint64_t{0}))
    set_variable("WARPTIME_ADVERSARIAL", fmt::format("{}", *seed));
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
  if (end.timed_out) return fmt::format("ended after {} (--timeout)", plural(*timeout_of(arguments), "second"));
  if (WIFSIGNALED(end.how)) return fmt::format("signal {}", WTERMSIG(end.how));
  return end.status() == 0 ? "" : fmt::format("exit status {}", end.status());
}

bool has_error(const std::vector<nlohmann::ordered_json>& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const auto& finding) { return finding["severity"] == "error"; });
}

/// Not a file that cannot hold them.
void check_files_without_checkers(const Arguments& arguments) {
  for (const char* option : {"json", "sarif", "junit"})
    if (arguments.has(option))
      fail(arguments.value(option)->where, fmt::format("--{} goes with checkers only", option),
           "--check-memory, --check-init, --check-races, --check-sync; or `warptime check -- PROGRAM` with all");
}

}  // namespace

int run_cuda_program(const Arguments& arguments, const std::vector<ArgumentText>& words, const ProgramRun& run) {
  const std::string library = cuda_folder();
  const ArgumentText& word = words.front();
  const char* named = std::getenv("WARPTIME_MACHINE");
  const bool by_environment = !arguments.has("machine") && named != nullptr && *named != '\0';
  const std::optional<ArgumentText> chosen =
      by_environment ? std::optional(ArgumentText{named, {}}) : std::optional<ArgumentText>();
  const sim::Machine machine = load_machine(arguments, chosen, run.machine).machine;
  if (auto stats = arguments.value("stats")) check_writable(*stats, "--stats", arguments);
  const std::optional<uint64_t> timeout = timeout_of(arguments);
  if (run.checkers.empty()) check_files_without_checkers(arguments);
  CheckFiles files(arguments);
  const ProgramFile program = check_program(word, library);
  set_environment(arguments, library, program);
  if (!by_environment && !arguments.has("machine")) set_variable("WARPTIME_MACHINE", std::string(run.machine));
  if (!run.checkers.empty()) set_variable("WARPTIME_CHECK", run.checkers);
  const Descriptor record = record_file(), found = record_file();
  fcntl(record.number(), F_SETFD, 0);  // the program has it, too
  set_variable(cuda::kRecordVariable, fmt::format("{}", record.number()));
  // A program that the program starts may have other files open. A `warptime check` around this one gets all, too.
  const char* outer = std::getenv(cuda::kFindingsVariable);
  const Descriptor around(outer == nullptr ? -1 : open_to_append(outer));
  set_variable(cuda::kFindingsVariable, fmt::format("/proc/{}/fd/{}", getpid(), found.number()));
  const ProgramEnd end = run_program(program.path, words, timeout);
  const ExecSummary summary = summarize_exec(contents_of_file(record.number()), word.text, machine.name);
  const std::string found_lines = contents_of_file(found.number());
  if (around.number() >= 0) write_whole(around.number(), found_lines);
  const ExecFindings findings = read_findings(found_lines);
  for (const auto& finding : findings.all) print_error(finding["text"].get<std::string>());
  for (const std::string& note : findings.notes) print_error(fmt::format("note: {}\n", note));
  if (!arguments.has("quiet")) {
    print_error(summary.text);
    if (!run.checkers.empty())
      print_error(fmt::format("{} on {}: {}\n", word.text, machine.name, debug::findings_summary(findings.all)));
  }
  const bool faulted = summary.faulted || has_error(findings.all);
  const int status = end.timed_out ? kTimedOut : faulted ? kSimulatedFault : end.status();
  files.write({.target = word.text,
               .machine = machine.name,
               .machine_hash = machine.hash,
               .seed = arguments.number("adversarial", 0, ~uint64_t{0}),
               .complete = !end.timed_out && !WIFSIGNALED(end.how) && !summary.faulted,
               .end = end_text(end, arguments),
               .findings = findings.all,
               .notes = findings.notes,
               .kernels = summary.kernels,
               .status = status});
  return status;
}

}  // namespace warptime::cli
