// Whether `warptime exec` can serve a program, before it is started.
#pragma once

#include <string>

#include "cli/command_line.h"

namespace warptime::cli {

struct ProgramFile {
  std::string path;
  std::string preload;  // the library of the runtime, where the program's own RPATH would come first
};

/// The executable file of this name in a folder of PATH; empty: there is none.
std::string find_in_path(const std::string& name);

/// Finds the program as a shell does. Throws host::InputError with a sentence if it is not there, has the CUDA runtime
/// linked statically, or uses a library that nothing here replaces.
ProgramFile check_program(const ArgumentText& program, const std::string& library_folder);

}  // namespace warptime::cli
