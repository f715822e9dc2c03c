// A run beside a profile: the launches of the same kernel, counter beside counter by the names of `warptime list
// statistics`, then what has no partner. Nothing is scaled: where a counter is of one SM or one TPC, that is said.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/compare/profile.h"
#include "host/report/value_writer.h"

namespace warptime::cli {

struct ProfileComparison {
  struct Row {
    std::string statistic, unit, counter;
    std::string_view counted;  // in the profile: "chip", "one SM", "one TPC"
    double a = 0, b = 0;
  };
  struct Pair {
    size_t a = 0, b = 0;  // launches
    std::vector<Row> rows;
  };
  std::vector<Pair> pairs;
  std::vector<std::string> notes;           // sentences
  std::vector<std::string> only_a, only_b;  // statistics as "dram.read_bytes (dram__bytes_read.sum)"; counters
};

/// Throws host::InputError if no kernel is in both, or a value of the profile is not a number.
ProfileComparison compare_profile(const StatisticsFile& run, const Profile& profile);

std::string profile_text(const ProfileComparison& found, const StatisticsFile& run, const Profile& profile);

/// { "schema": 1, "a": {"name", "target", "machine"}, "b": {"name", "profiler", "device"}, "notes": [TEXT...],
///   "launches": [{ "kernel": {"a", "b"}, "launch": {"a", "b"},
///                  "counters": [{"name", "unit", "counter", "counted", "a", "b", "ratio"}...] }...],
///   "only_a": [TEXT...], "only_b": [TEXT...] }       ratio: a / b; null where b is 0
void write_profile_comparison(host::ValueWriter& out, const ProfileComparison& found, const StatisticsFile& run,
                              const Profile& profile);

}  // namespace warptime::cli
