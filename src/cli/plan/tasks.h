// A command's runs as numbered tasks that other processes, and other hosts, may run: each result is a text without line
// ends. `sweep`, `whatif` and `validate` give theirs; shards and Slurm know no more of a command than this.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command_line.h"

namespace warptime::cli {

using TaskResults = std::map<size_t, std::string>;

/// What earlier runs of tasks gave. A task at which warptime itself crashed (status 4) is to be run again: it has no
/// result, and what was written of it is used only if nothing better comes.
struct TasksDone {
  TaskResults results, crashes;

  /// `status`: as status_of_result() says.
  void add(size_t task, std::string_view result, int status);
  void add(const TasksDone& more);
  /// The result, or the crash; nullptr: neither.
  const std::string* find(size_t task) const;
};

class Tasks {
 public:
  Tasks() = default;
  Tasks(const Tasks&) = delete;
  Tasks& operator=(const Tasks&) = delete;
  virtual ~Tasks() = default;

  virtual size_t count() const = 0;
  /// A hash that is equal only for the same tasks with the same results.
  virtual const std::string& identity() const = 0;
  /// Before the first run() of this process. `known`: results of other processes.
  virtual void begin(const TaskResults& /*known*/) {}
  /// In a child process.
  virtual std::string run(size_t task) const = 0;
  /// The result of a task at which warptime itself crashed.
  virtual std::string lost(const std::string& why) const = 0;
  /// Writes what the command writes, from all results; `outputs` names the files. Returns the exit status.
  virtual int finish(const Arguments& outputs, const std::vector<std::string>& results) const = 0;
};

/// What shards and Slurm must know of a command.
struct TaskCommand {
  std::string name;  // "sweep"
  const Command& (*describe)();
  std::unique_ptr<Tasks> (*plan)(const Arguments& arguments);
};

/// Tasks of part I of N (from 1 on). Neighbours go to different parts in an irregular order, so that the long ones of
/// an axis do not meet in one part.
std::vector<size_t> tasks_of_part(const std::vector<size_t>& tasks, size_t part, size_t parts);

/// All parts, from the first on.
std::vector<std::vector<size_t>> all_parts(const std::vector<size_t>& tasks, size_t parts);

/// The status with which every result begins, {"status":0,...}; nullopt: this text is not a result.
std::optional<int> status_of_result(std::string_view text);

/// Runs them, each in a child process, with a progress line; `done` in the order of the list.
void run_tasks(Tasks& tasks, const std::vector<size_t>& list, unsigned jobs, bool quiet,
               const std::function<void(size_t, const std::string&)>& done);

}  // namespace warptime::cli
