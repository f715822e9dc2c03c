// A program that `warptime exec` and `warptime check` start, and wait for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.h"

namespace warptime::cli {

struct ProgramEnd {
  int how = 0;             // as waitpid says
  bool timed_out = false;  // it was ended
  /// The program's own exit status, 128 + n after signal n, or kTimedOut.
  int status() const;
};

/// Runs `path` with these words and the environment of this process. Signals from the terminal reach it, too; others
/// are passed on. After `timeout` seconds it is ended, with all that it has started: by SIGTERM, five seconds later by
/// SIGKILL.
ProgramEnd run_program(const std::string& path, const std::vector<ArgumentText>& words,
                       std::optional<uint64_t> timeout);

}  // namespace warptime::cli
