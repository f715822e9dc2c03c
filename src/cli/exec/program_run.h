// A CUDA program as it is, run by `warptime exec` or `warptime check`: with the library that simulates the CUDA runtime
// in its process, in the environment that this library reads. What the program did comes back in files without a name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command_line.h"
#include "host/device/home.h"

namespace warptime::cli {

/// What the command adds to the options.
struct ProgramRun {
  std::string_view machine = host::kDefaultMachine;  // without --machine and WARPTIME_MACHINE
  std::string checkers = {};                         // their names, or all; empty: none
  bool json_of_findings = false;                     // --json is of what was found, not of the statistics
};

/// `words`: the program, or its source (PROG.cu), and its arguments. Returns the exit status: the program's, or that of
/// what was found.
int run_cuda_program(const Arguments& arguments, const std::vector<ArgumentText>& words, const ProgramRun& run);

/// The words of the command are the program; the options have to be those of `exec`. Throws host::InputError.
int execute_program(const Arguments& arguments);

}  // namespace warptime::cli
