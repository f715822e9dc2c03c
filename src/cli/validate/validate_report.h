// The figures of `warptime validate` as text for the screen, as JSON and CSV for scripts, and as a page with two
// charts.
#pragma once

#include <string>
#include <vector>

#include "host/validation/summary.h"

namespace warptime::cli {

struct ValidationReport {
  std::vector<std::pair<std::string, std::string>> machine_hashes;
  std::vector<host::ValidationOutcome> outcomes;
  std::vector<std::string> own_groups = {};  // from tables of the user's own
};

/// The outcomes of a group, in order; of all groups if `group` is empty.
std::vector<const host::ValidationOutcome*> outcomes_of(const ValidationReport& report, std::string_view group = {});
/// The groups in the order of the outcomes.
std::vector<std::string> groups_of(const ValidationReport& report);

struct NamedSummary {
  std::string group;
  host::QuantitySummary summary;
};
/// The summaries of each group, then the timing of all "together" if there are several.
std::vector<NamedSummary> named_summaries(const ValidationReport& report);

/// "100", "100 +- 5", "90..110", of samples "100.7 +- 2.5 (3 samples)".
std::string published_text(const host::ValidationRow& row);

std::string validation_text(const ValidationReport& report);
std::string validation_json(const ValidationReport& report);
/// A line per row.
std::string validation_csv(const ValidationReport& report);
/// A line per summary.
std::string summary_csv(const ValidationReport& report);

/// A file beside the page; without contents it is not written, and the page does not show it.
struct ValidationChart {
  std::string file;    // its name
  std::string script;  // what gnuplot draws it with; empty: no row to draw
};
/// `scatter`, `bars`: the charts of the two functions below.
std::string validation_page(const ValidationReport& report, const ValidationChart& scatter,
                            const ValidationChart& bars);

/// Gnuplot's script for simulated against published speed-ups: a panel per quantity, on two logarithmic axes, with the
/// line of equal ones and a band of a factor of two. Empty if no row has a speed-up.
std::string speedup_chart(const ValidationReport& report);
/// Gnuplot's script for a bar per error of timing, except of inputs; of one kind only: bars of different kinds have no
/// common axis.
std::string timing_chart(const ValidationReport& report);

/// A row's distance from the published figure by its kind: "+3.1 %", "1.70 times" (simulated / published), "+3.1
/// points", "exact" or "-2", "same" or "other"; "listed"; "factor 0.97" (published / simulated) for a recalled figure;
/// "failed".
std::string error_text(const host::ValidationOutcome& outcome);
/// With at most four significant digits: "46.49", "0.2300", "1234".
std::string value_text(const host::FigureValue& value);
/// "mean error 5.1 %, largest 8.1 %" of timing; the measures of its kind of any other quantity.
std::string agreement_text(const host::QuantitySummary& summary);

}  // namespace warptime::cli
