// A plan that jobs of Slurm run: a folder FILE.plan beside the output FILE, on a file system that all nodes see.
//
//     plan.json             the plan: as the first line of a shard
//     submission-K.json     the tasks of the K-th array job, and the number of its elements
//     job-K.json            its number, and that of the job that merges
//     shard-K-...           results: each start of an element has a file of its own, so that no two processes ever
//     write
//                           one file, and what a dead node wrote stays
//     states-K.txt          how elements ended, noted by the merging job for the time when Slurm has forgotten it
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/plan/shard_file.h"
#include "cli/plan/tasks.h"

namespace warptime::cli {

/// --slurm: submits what is missing, and the job that merges.
int submit_to_slurm(const Arguments& arguments, const TaskCommand& command);
/// --run-element: the tasks of one array element.
int run_slurm_element(const Arguments& arguments, const TaskCommand& command);
/// --merge PLAN.
int merge_slurm_plan(const Arguments& arguments, const TaskCommand& command);
/// --status PLAN.
int show_slurm_status(const Arguments& arguments);

struct SlurmSubmission {
  size_t number = 1;
  std::vector<size_t> tasks;
  size_t elements = 0;
  std::string job, merge;  // empty: not submitted (yet)

  std::vector<size_t> of_element(size_t element) const { return tasks_of_part(tasks, element, elements); }
  /// The tasks of each element, from the first on.
  std::vector<std::vector<size_t>> parts() const { return all_parts(tasks, elements); }
};

/// The folder of a plan and what is in it.
struct SlurmPlanFolder {
  std::filesystem::path path;
  ShardHeader header;
  std::vector<SlurmSubmission> submissions;
  TasksDone done;
  std::string damage;  // of the first shard that has any

  std::string file(const std::string& name) const { return (path / name).string(); }
};

/// Reads it; fails if it is none, or of another version.
SlurmPlanFolder read_slurm_plan(const ArgumentText& name);
/// What is in a file of it; empty: it is not there, or something else than a file (a pipe of that name would be waited
/// for).
std::string plan_file_text(const std::filesystem::path& path);
/// Writes a file of it, complete or not at all.
void write_plan_file(const std::string& path, const std::string& text, const SourceSpan& where);
std::string submission_text(const SlurmSubmission& submission);

}  // namespace warptime::cli
