// Compares two statistics reports, the largest change first. One launch at a time, so that files with many launches
// take little memory; the document of `warptime compare --json` and the text are made of the same parts.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/compare/statistics_file.h"
#include "host/report/value_writer.h"

namespace warptime::cli {

/// Throws host::InputError if the two cannot be compared.
void check_comparable(const StatisticsFile& a, const StatisticsFile& b);

/// A launch or the total of two files:
///
///   PART: { "kernel": {"a", "b"}, "time": [NUMBER...], "occupancy": {"a": {...}, "b": {...}} or null,
///           "issue": [NUMBER with "share_a", "share_b"...], "resources": [NUMBER...], "counters": [NUMBER...],
///           "instructions": [{"line", "text", "cycles": NUMBER, "issue": [NUMBER...]}...] }
///   NUMBER: { "name", "a", "b", "difference", "change" }    change: difference / a; null where a is 0 or missing
///
/// `whole`: with issue, resources and counters.
nlohmann::ordered_json part_moved(const StatisticsFile& a, const StatisticsFile::Part& from, const StatisticsFile& b,
                                  const StatisticsFile::Part& to, bool whole);

/// { "schema": 1, "a": {"name", "target", "machine"}, "b": {...}, "launches": [PART...], "total": PART }
void write_comparison(host::ValueWriter& out, const StatisticsFile& a, const StatisticsFile& b);

/// What binds a launch, and what would bind next.
std::string verdict_text(const StatisticsFile& file, const StatisticsFile::Part& part);

std::string comparison_text(const StatisticsFile& a, const StatisticsFile& b);

}  // namespace warptime::cli
