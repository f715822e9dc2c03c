// One run for the Python module: the options of `warptime run` as its words, and all that the command would print or
// write, as texts.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "python/src/kernel_call.h"

namespace warptime::python {

struct RunRequest {
  std::vector<std::string> words;  // "run", the target, the options
  std::optional<KernelCall> call;  // the target, if it is a kernel on arrays: its name is still among the words
  /// Called several times per second while a launch runs; true: the run shall end.
  std::function<bool()> interrupted;
};

struct RunOutcome {
  std::string statistics;  // as `--stats` writes it
  std::string warnings;
  std::string printed;   // by device code
  std::string failures;  // of checks, a line each
  std::string fault;     // that ended the run early; empty: none
  bool interrupted = false;
};

/// Throws host::InputError.
RunOutcome run(RunRequest request);

}  // namespace warptime::python
