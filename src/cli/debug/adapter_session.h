// `warptime debug --dap`: a session with an editor on standard input and output.
#pragma once

#include <string>
#include <vector>

#include "cli/cli.h"
#include "debug/dap/message_stream.h"

namespace warptime::cli {

/// The target is on the command line, or else the editor's launch request names it. Returns the exit status.
int run_adapter(const Entry& debug_command, const Arguments& arguments);

/// The command line after "warptime" that a launch request stands for. Throws host::InputError where a member is not of
/// its kind:
///   program        a workload, a launch file, a PTX file, a .cu file, or a CUDA program, which is executed; required
///   args           of a CUDA program its arguments, else options of `warptime debug`: an array of texts
///   machine        a name or a file
///   params, set    of a workload or launch file, and of the machine: objects of values
///   checks         an array of "memory", "init", "races", "sync"
///   programLaunch  of a CUDA program: which launch is debugged, from 0
std::vector<std::string> words_of_launch(const debug::Json& request);

}  // namespace warptime::cli
