// Two reports of statistics side by side: what moved, most moved first. The result is the document of
// `warptime compare --json`; the text is made of it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "cli/command_line.h"

namespace warptime::cli {

/// One side: a report, what to call it, and where the user named it.
struct ReportSide {
  nlohmann::ordered_json report;
  std::string name;
  SourceSpan where;
};

/// Reads a statistics file; throws host::InputError if it is none.
ReportSide read_report(const Given& file);

/// Throws host::InputError where the two cannot be set side by side.
///
///   { "schema": 1, "a": {"name", "target", "machine"}, "b": {...}, "launches": [PART...], "total": PART }
///   PART: { "kernel": {"a", "b"}, "time": [NUMBER...], "occupancy": {"a": {...}, "b": {...}} or null,
///           "issue": [NUMBER with "share_a", "share_b"...], "counters": [NUMBER...],
///           "instructions": [{"line", "text", "cycles": NUMBER, "issue": [NUMBER...]}...] }
///   NUMBER: { "name", "a", "b", "difference", "change" }    change: difference / a; null where a is 0 or missing
nlohmann::ordered_json compare_reports(const ReportSide& a, const ReportSide& b);

std::string comparison_text(const nlohmann::ordered_json& comparison);

}  // namespace warptime::cli
