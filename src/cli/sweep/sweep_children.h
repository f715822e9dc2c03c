// Independent pieces of work, each in a child process of its own (fork without exec): what one of them does to its
// memory or its process is no matter to the others, and each simulates on one thread.
#pragma once

#include <functional>
#include <string>

namespace warptime::cli {

struct ChildResult {
  bool finished = false;  // false: it ended before it had a result
  std::string text;       // its result, or how it ended
};

struct ChildWork {
  std::function<std::string(size_t)> work;               // in the child
  std::function<void(size_t, const ChildResult&)> done;  // in the parent, in the order of the numbers
  std::function<void(size_t)> progress;                  // in the parent: how many have ended so far
};

/// Does the work of numbers first to last - 1, at most `jobs` at a time. If `done` throws, the children that still run
/// are ended.
void run_children(size_t first, size_t last, unsigned jobs, const ChildWork& what);

}  // namespace warptime::cli
