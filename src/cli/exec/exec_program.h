// A CUDA program, run as `warptime exec` does it; also for other commands that take one.
#pragma once

#include "cli/command_line.h"

namespace warptime::cli {

/// The words are the program, or its source file (PROG.cu), and its arguments; the options those of `exec`, and others
/// are refused. Returns the exit status. Throws host::InputError.
int execute_program(const Arguments& arguments);

}  // namespace warptime::cli
