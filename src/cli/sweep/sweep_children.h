// Runs independent tasks, each in its own child process (fork without exec), so that a failure of one does not affect
// the others; each simulates on one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace warptime::cli {

struct ChildResult {
  enum class End : uint8_t {
    Result,
    Crash,   // a fault of warptime itself
    NotDone  // the host had no room for it, or somebody ended it: it says nothing of the task, which is to be repeated
  };
  End end = End::Result;
  std::string text;  // the result, or how it ended
};

/// Thrown in a child: the host has no room for its task (ChildResult::End::NotDone).
struct NoRoom {
  std::string why;
};

struct ChildWork {
  std::function<std::string(size_t)> work;               // in the child
  std::function<void(size_t, const ChildResult&)> done;  // in the parent, in the order of the numbers
  std::function<void(size_t)> progress;  // in the parent, several times per second: the number of ended tasks
};

/// `guarded` (cli.h) in a child: too little memory of the host is not an outcome of the task.
int guarded_in_child(const std::function<int()>& work, std::string& message);

/// Ends the command: task `number` (from 0) is not done.
[[noreturn]] void fail_not_done(size_t number, const std::string& why);

/// Runs the tasks first to last - 1, at most `jobs` at a time. If `done` throws, running children are terminated.
void run_children(size_t first, size_t last, unsigned jobs, const ChildWork& what);

}  // namespace warptime::cli
