// The names that profilers have for the statistics of a run: the column "profiler" of `warptime list statistics`, taken
// apart, and the values that a launch of a run and a launch of a profile have for them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/compare/profile.h"

namespace warptime::cli {

/// A statistic and the counters whose sum is the same number.
struct SameNumber {
  std::string statistic;  // "dram.read_bytes", "grid.x"
  std::string unit;       // of the statistic
  std::vector<std::string> counters;
  Profile::Format format;
  std::string name() const;  // "gld_coherent + gst_coherent"
};
/// In the order of the statistics.
const std::vector<SameNumber>& same_numbers();

/// What a counter of the CUDA profiler counts on devices 1.x: "one SM" or "one TPC"; of others and of Nsight Compute
/// "chip".
std::string_view counted_where(Profile::Format format, std::string_view counter);

/// The numbers of a launch by the names of the statistics.
std::map<std::string, double, std::less<>> run_numbers(const StatisticsFile& file, const StatisticsFile::Part& part);

/// The value of a counter in the unit of the statistic. Nothing where it has none ("n/a"), or is in a unit that is not
/// known; throws host::InputError if it is not a number.
std::optional<double> counter_value(const Profile& profile, const Profile::Counter& counter, std::string_view unit);

}  // namespace warptime::cli
