// `warptime exec`: runs a CUDA program as it is, with the library that simulates the CUDA runtime in its process.
#include <algorithm>

#include "base/standard_streams.h"
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
            "process. Launches are numbered from 0. Exit status: the program's; 3 if a launch faulted or a\n"
            "checker found an error; 128 + n after signal n; 124 after --timeout.\n"
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
             {"capture", Kind::Value, Takes::file("FOLDER"),
              "write the first launch of each kernel, grid and block as a launch file; values only, no times"},
             {"capture-launch", Kind::Repeated, "N", "of --capture: launch N, from 0, instead"},
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
    c.options.push_back(timeout_option("the program"));
    for (Option& option : check_options("run functionally with")) c.options.push_back(std::move(option));
    // --json is that of the statistics.
    for (Option& option : in_group(OptionGroup::Checkers, check_file_options()))
      if (option.name != "json") c.options.push_back(std::move(option));
    for (Option& option : machine_options()) c.options.push_back(std::move(option));
    return c;
  }();
  return command;
}

int execute_exec(const Arguments& arguments) {
  if (arguments.has("library-path")) {
    print(cuda_folder() + "\n");
    return kDone;
  }
  if (arguments.words().empty())
    fail(arguments.whole(), "`warptime exec` needs a PROGRAM", "usage: warptime exec [options] -- PROGRAM [ARGS]");
  return run_cuda_program(arguments, arguments.words(), {.checkers = names_of_checkers(arguments)});
}

}  // namespace

int execute_program(const Arguments& arguments) {
  for (const auto& [name, values] : arguments.options()) {
    const std::vector<Option>& known = describe_exec().options;
    if (std::none_of(known.begin(), known.end(), [&name = name](const Option& option) { return option.name == name; }))
      fail(values.front().where, fmt::format("--{} does not go with a CUDA program", name));
  }
  return run_cuda_program(arguments, arguments.words(), {.checkers = names_of_checkers(arguments)});
}

Entry exec_command() { return {describe_exec, execute_exec}; }

}  // namespace warptime::cli
