// Slurm's client programs: sbatch, squeue, sacct, sinfo, scontrol, scancel, as they are on PATH.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/command_line.h"

namespace warptime::cli {

struct SlurmAnswer {
  int status = 0;  // exit status; 128 + N after signal N, 127: there is no such program
  std::string out, err;
};

/// With this process's environment and folder; standard input is empty.
SlurmAnswer call_slurm(std::vector<std::string> words);

/// Fails with one sentence if these are not on PATH. `where`: the option that needs them.
void require_slurm(const SourceSpan& where);

/// The job's number in what `sbatch --parsable` has printed, "12" or "12;cluster", perhaps among lines of others (a
/// banner of the cluster); empty: there is none.
std::string job_number(const std::string& answer);

/// The state of each element, 1 to `elements`, of an array job, by its number: "RUNNING", "PENDING", "TIMEOUT", ...;
/// empty: Slurm does not know the job (any more).
std::map<size_t, std::string> slurm_states(const std::string& job, size_t elements);
/// Whether an element in this state may still run.
bool is_alive(const std::string& state);

/// The slots of a partition ("": the default one): processors of all its nodes; at least 1.
size_t slurm_slots(const std::string& partition);
/// The most elements of an array.
size_t most_array_elements();

/// sbatch's time limit ("90", "1:30:00", "2-12") in seconds; 0: it has no such form.
double slurm_seconds(const std::string& time);

}  // namespace warptime::cli
