// `warptime exec`: runs a CUDA program as it is, with the library that simulates the CUDA runtime in its process. What
// the program did comes back in a file without a name; its exit status becomes this command's.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "base/descriptors.h"
#include "base/standard_streams.h"
#include "base/system_error.h"
#include "cli/cli.h"
#include "cli/exec/exec_summary.h"
#include "cli/exec/program_check.h"
#include "cli/home.h"
#include "cli/machine/machine_option.h"
#include "cli/output.h"
#include "cuda/recorder.h"

namespace warptime::cli {

namespace {

const Command& describe_exec() {
  using Kind = Option::Kind;
  static const Command command = [] {
    Command c{
        .name = "exec",
        .usage = "[options] -- PROGRAM [ARGS]",
        .summary = "run a CUDA program as it is, built with nvcc -cudart shared",
        .details =
            "The program's calls of the CUDA runtime (`warptime list cuda`) go to a simulated device in its own\n"
            "process. Exit status: the program's; 3 if a launch faulted; 128 + n after signal n.\n"
            "Programs that are started otherwise find the library in the folder that --library-path prints\n"
            "(LD_LIBRARY_PATH); WARPTIME_MACHINE, WARPTIME_SET (PATH=VALUE, with ; between them),\n"
            "WARPTIME_STATS, WARPTIME_THREADS, WARPTIME_FUNCTIONAL and WARPTIME_MAX_CYCLES stand for the options.\n",
        .options = {{"stats", Kind::Value, Takes::file("FILE"),
                     "write the statistics of all launches: JSON, or CSV if FILE ends in .csv"},
                    {"functional", Kind::Flag, "", "values only: much faster, no times"},
                    {"max-cycles", Kind::Value, "N", "end a launch after N cycles, as a fault"},
                    {"threads", Kind::Value, "N",
                     "host threads; default: the host's cores, at most the machine's TPCs"},
                    {"quiet", Kind::Flag, "", "no summary"},
                    {"library-path", Kind::Flag, "", "print the folder of the library, and end"}},
        .examples = {"warptime exec -- ./a.out", "warptime exec --machine jetson-tk1 --stats a.json -- ./a.out 1024",
                     "LD_LIBRARY_PATH=$(warptime exec --library-path) ./a.out"},
        .min_words = 0,
        .max_words = ~size_t{0},
        .word_name = "PROGRAM"};
    for (Option& option : machine_options()) c.options.push_back(std::move(option));
    return c;
  }();
  return command;
}

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
}

pid_t program_id = 0;
void to_program(int signal) { kill(program_id, signal); }

/// Starts the program, waits for its end, and returns what waitpid says. Signals from the terminal reach it, too;
/// others are passed on.
int run_program(const std::string& path, const std::vector<ArgumentText>& words) {
  std::vector<std::string> texts;
  for (const ArgumentText& word : words) texts.push_back(word.text);
  std::vector<char*> raw;
  for (std::string& text : texts) raw.push_back(text.data());
  raw.push_back(nullptr);
  program_id = fork();
  if (program_id < 0) throw host::InputError(fmt::format("error: no process can be started: {}\n", error_text(errno)));
  if (program_id == 0) {
    for (int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_DFL);
    execv(path.c_str(), raw.data());
    print_error(fmt::format("error: {} cannot be started: {}\n", texts.front(), error_text(errno)));
    _exit(kBadInput);
  }
  for (int signal : {SIGINT, SIGQUIT}) std::signal(signal, SIG_IGN);
  for (int signal : {SIGTERM, SIGHUP}) std::signal(signal, to_program);
  int how = 0;
  while (waitpid(program_id, &how, 0) < 0 && errno == EINTR) {
  }
  for (int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
  return how;
}

int execute_exec(const Arguments& arguments) {
  const std::string library = cuda_folder();
  if (arguments.has("library-path")) {
    print(library + "\n");
    return kDone;
  }
  if (arguments.words().empty())
    fail(arguments.whole(), "`warptime exec` needs a PROGRAM", "usage: warptime exec [options] -- PROGRAM [ARGS]");
  const ArgumentText& word = arguments.words().front();
  const char* named = std::getenv("WARPTIME_MACHINE");
  const bool by_environment = !arguments.has("machine") && named != nullptr && *named != '\0';
  const std::optional<ArgumentText> chosen =
      by_environment ? std::optional(ArgumentText{named, {}}) : std::optional<ArgumentText>();
  const std::string machine = load_machine(arguments, chosen).machine.name;
  if (auto stats = arguments.value("stats")) check_writable(*stats, "--stats", arguments);
  const ProgramFile program = check_program(word, library);
  set_environment(arguments, library, program);
  const Descriptor record(unnamed_file());
  if (record.number() < 0)
    throw host::InputError(fmt::format("error: there is no room for a temporary file: {}\n", error_text(errno)));
  fcntl(record.number(), F_SETFD, 0);  // the program has it, too
  fcntl(record.number(), F_SETFL, O_APPEND);
  set_variable(cuda::kRecordVariable, fmt::format("{}", record.number()));
  const int how = run_program(program.path, arguments.words());
  const ExecSummary summary = summarize_exec(contents_of_file(record.number()), word.text, machine);
  if (!arguments.has("quiet")) print_error(summary.text);
  if (summary.faulted) return kSimulatedFault;
  constexpr int kFirstOfSignals = 128;
  return WIFSIGNALED(how) ? kFirstOfSignals + WTERMSIG(how) : WEXITSTATUS(how);
}

}  // namespace

Entry exec_command() { return {describe_exec, execute_exec}; }

}  // namespace warptime::cli
