// Runs independent tasks, each in its own child process (fork without exec), so that a failure of one does not affect
// the others; each simulates on one thread.
#pragma once

#include <functional>
#include <string>

namespace warptime::cli {

struct ChildResult {
  bool finished = false;  // false: it ended without a result
  int signal = 0;         // that ended it
  std::string text;       // its result, or how it ended
};

struct ChildWork {
  std::function<std::string(size_t)> work;               // in the child
  std::function<void(size_t, const ChildResult&)> done;  // in the parent, in the order of the numbers
  std::function<void(size_t)> progress;  // in the parent, several times per second: the number of ended tasks
};

/// Runs the tasks first to last - 1, at most `jobs` at a time. If `done` throws, running children are terminated.
void run_children(size_t first, size_t last, unsigned jobs, const ChildWork& what);

}  // namespace warptime::cli
