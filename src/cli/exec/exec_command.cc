// `warptime exec`: runs a CUDA program as it is, with the library that simulates the CUDA runtime in its process.
#include "cli/check/check_options.h"
#include "cli/check/check_result.h"
#include "cli/cli.h"
#include "cli/exec/program_run.h"
#include "cli/home.h"
#include "cli/interruption.h"
#include "cli/machine/machine_option.h"
#include "cli/output.h"
#include "cli/run/run_target.h"

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
            "process. Exit status: the program's; 3 if a launch faulted or a checker found an error; 128 + n after\n"
            "signal n; 124 after --timeout.\n"
            "Programs that are started otherwise find the library in the folder that --library-path prints\n"
            "(LD_LIBRARY_PATH); WARPTIME_MACHINE, WARPTIME_SET (PATH=VALUE, with ; between them),\n"
            "WARPTIME_STATS, WARPTIME_THREADS, WARPTIME_FUNCTIONAL, WARPTIME_MAX_CYCLES and WARPTIME_CHECK (names\n"
            "of checkers, or all) stand for the options.\n",
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
    c.options.push_back(timeout_option("the program"));
    for (Option& option : check_options("run functionally with")) c.options.push_back(std::move(option));
    for (Option& option : in_group(OptionGroup::Checkers, check_file_options())) c.options.push_back(std::move(option));
    c.options.push_back(calls_option());
    for (Option& option : machine_options()) c.options.push_back(std::move(option));
    return c;
  }();
  return command;
}

int execute_exec(const Arguments& arguments) {
  const std::string library = cuda_folder();
  if (arguments.has("library-path")) {
    print(library + "\n");
    return kDone;
  }
  if (arguments.words().empty())
    fail(arguments.whole(), "`warptime exec` needs a PROGRAM", "usage: warptime exec [options] -- PROGRAM [ARGS]");
  return run_cuda_program(arguments, arguments.words(), {.checkers = names_of_checkers(arguments)});
}

}  // namespace

Entry exec_command() { return {describe_exec, execute_exec}; }

}  // namespace warptime::cli
