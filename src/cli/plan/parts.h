// A command in parts: --shard I/N runs some of its tasks into a shard, --merge writes what the whole command would have
// written, from shards. --slurm (cli/plan/slurm_plan.h) does both by jobs of a cluster.
#pragma once

#include <optional>

#include "cli/plan/shard_file.h"
#include "cli/plan/tasks.h"

namespace warptime::cli {

/// The table rows of --shard, --merge, --slurm and what goes with them.
std::vector<Option> parts_options();

/// The exit status of a call that runs or merges parts; nullopt: it is an ordinary one.
std::optional<int> execute_in_parts(const Arguments& arguments, const TaskCommand& command);

/// What results say of themselves, for those who write them.
ShardHeader header_of(const Arguments& arguments, const TaskCommand& command, const Tasks& tasks);

/// Writes the outputs from results; fails with one sentence if any is missing, or if the plan is no longer the same.
/// `planned`: the words that were planned. `damage`: of a shard, if one has any. `own_outputs`: the merging command's
/// options name the outputs; nullptr: the planned ones.
int finish_plan(const ShardHeader& header, const TaskCommand& command, const TasksDone& done, const std::string& damage,
                const SourceSpan& where, const Arguments* own_outputs);

/// "3, 7, 9 and 12 more", numbered from 1.
std::string list_of_points(const std::vector<size_t>& tasks);

}  // namespace warptime::cli
