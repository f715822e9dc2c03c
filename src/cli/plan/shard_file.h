// A shard: results of some tasks of a plan, as lines that grow while they run. The first line says which plan, of which
// version, and by which command line; each line has a checksum.
//
//     warptime-shard 1 CHECKSUM {"version": ..., "plan": ..., "command": ..., "tasks": ..., "words": [...]}
//     TASK CHECKSUM RESULT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/growing_file.h"
#include "cli/plan/tasks.h"

namespace warptime::cli {

inline constexpr size_t kMostTasks = 2'000'000;  // more than any command has

struct ShardHeader {
  std::string version, plan, command;
  size_t tasks = 0;
  std::vector<std::string> words;  // of the command line after "warptime"

  std::string line() const;
};

struct ShardContents {
  ShardHeader header;
  TasksDone done;
  size_t whole = 0;       // bytes of its whole lines
  std::string damage;     // why it, or its first bad line, cannot be used; empty: it is well
  bool readable = false;  // its header is well
};

/// `name`: of the file, for `damage`.
ShardContents parse_shard(std::string_view text, const std::string& name);

/// Fails with one sentence if the shard is none, or of another version than this program.
void check_shard_header(const ShardContents& shard, const ArgumentText& file);

class ShardWriter {
 public:
  /// Creates it, or with `resume` continues the shard that is there; fails if that is of another plan. Returns the
  /// results in it, of which those of crashes are to be repeated.
  TaskResults open(const ArgumentText& file, const ShardHeader& header, bool resume);
  void append(size_t task, std::string_view result);
  void close();

 private:
  void check(const std::string& why) const;

  ArgumentText name_;
  GrowingFile file_;
};

}  // namespace warptime::cli
