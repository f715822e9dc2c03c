// A child process for work on a stranger's file: with limits of time, memory and output, without the rights to read or
// write files that it does not need (Landlock, where the host's kernel has it), and ended with all that it has started.
//
// The limits hold everywhere; file rights need Linux 5.13. What is refused there is refused by other means, too
// (compile_submission.h, CudaSources::restrict_to): Landlock is the second wall.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace warptime::cli {

struct ConfinementLimits {
  uint64_t seconds = 0;       // of the wall clock
  uint64_t memory_bytes = 0;  // resident, of a function; addresses, of each process of a program
  uint64_t output_bytes = uint64_t{8} << 20;
};

/// Folders and files that a process may use, with all that is below them.
struct FileRights {
  std::vector<std::string> read, write;
};

struct ConfinedEnd {
  enum class How : uint8_t { Exited, Signal, Time, Memory, Output, Interrupted };
  How how = How::Exited;
  int status = 0;      // the exit status, or the signal's number
  std::string output;  // what the function returned, or the program printed
  bool succeeded() const { return how == How::Exited && status == 0; }
};

/// Runs the function in a child process, and returns its result. Its exceptions end the child with status 1. The caller
/// has one thread.
ConfinedEnd run_confined(const ConfinementLimits& limits, const FileRights& rights,
                         const std::function<std::string()>& work);

/// Runs a program in `folder`, which is also its home and its place for temporary files; of the environment it has PATH
/// only. Standard input is empty; standard output and error are the result's output.
ConfinedEnd run_confined_program(const ConfinementLimits& limits, const FileRights& rights, const std::string& path,
                                 std::vector<std::string> words, const std::string& folder);

}  // namespace warptime::cli
