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
};

/// `words`: the program and its arguments. Returns the exit status: the program's, or that of what was found.
int run_cuda_program(const Arguments& arguments, const std::vector<ArgumentText>& words, const ProgramRun& run);

}  // namespace warptime::cli
