// Any number of runs beside one of them, the baseline: totals with their changes, what moved most in each, and what
// binds each. Runs may be of different programs: only totals are compared.
#pragma once

#include <string>
#include <vector>

#include "cli/compare/statistics_file.h"
#include "host/report/value_writer.h"

namespace warptime::cli {

/// A number of all runs; kNoNumber where a run does not have it.
struct ComparedNumber {
  std::string name;
  std::vector<double> values;
  /// Relative to the baseline; kNoNumber where that has none or 0.
  double change(size_t run, size_t baseline) const;
};

struct ManyRuns {
  std::vector<StatisticsFile> runs;
  size_t baseline = 0;
  std::vector<ComparedNumber> time;       // of the totals, as kTimes; empty for functional runs
  std::vector<ComparedNumber> issue;      // shares of the issue slots, the largest difference first
  std::vector<ComparedNumber> resources;  // the busiest unit's share, the same
  std::vector<ComparedNumber> counters;   // the largest change first
};

/// Throws host::InputError if functional runs are among timed ones.
ManyRuns compare_many(std::vector<StatisticsFile> runs, size_t baseline);

/// A sentence for each run but the baseline: its time, and what moved most.
std::vector<std::string> moved_sentences(const ManyRuns& many);

std::string many_text(const ManyRuns& many);
/// { "schema": 1, "baseline": 1, "runs": [{"name", "target", "machine", "launches", "bottleneck", "moved"}...],
///   "time": [NUMBER...], "issue": [NUMBER...], "resources": [NUMBER...], "counters": [NUMBER...] }
///   NUMBER: { "name", "values": [...], "changes": [...] }    issue: shares of the slots
void write_many(host::ValueWriter& out, const ManyRuns& many);

/// "A", "B", ..., "Z", "AA".
std::string run_letter(size_t run);

}  // namespace warptime::cli
