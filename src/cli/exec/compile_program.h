// PROG.cu becomes a program, by the compiler that this host has.
#pragma once

#include <string>

#include "cli/command_line.h"
#include "sim/model/machine.h"

namespace warptime::cli {

/// A program in a folder of its own, which is removed with it.
class CompiledProgram {
 public:
  /// Compiles it with nvcc, else with clang++, and prints the command on standard error unless `quiet`. Throws
  /// host::InputError: no compiler is installed, or it rejects the file.
  CompiledProgram(const ArgumentText& source, const sim::MachineConfig& machine, const std::string& library_folder,
                  bool quiet);
  ~CompiledProgram();
  CompiledProgram(const CompiledProgram&) = delete;
  CompiledProgram& operator=(const CompiledProgram&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string folder_, path_;
};

}  // namespace warptime::cli
