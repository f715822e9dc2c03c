// The table of `warptime validate` as text for the screen, as JSON for scripts, and as a page with two charts.
#pragma once

#include <string>
#include <vector>

#include "host/validation/validation.h"

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

std::string validation_text(const ValidationReport& report);
std::string validation_json(const ValidationReport& report);

/// `charts`: the prefix of the names of the two charts' files.
std::string validation_page(const ValidationReport& report, const std::string& charts);
/// Simulated against published figures on two logarithmic axes, for all quantities.
std::string validation_scatter(const ValidationReport& report);
/// A bar for the error of each row that has one and is not an input.
std::string validation_bars(const ValidationReport& report);

/// "+3.1 %", "factor 0.97" (published / simulated) for a recalled figure, "failed", or "same" or
/// "other" for a text.
std::string error_text(const host::ValidationOutcome& outcome);
/// With at most four significant digits: "46.49", "0.2300", "1234".
std::string value_text(const host::FigureValue& value);
/// "9 rows, mean error 5.1 %, ..." of the predicted rows.
std::string agreement_text(const host::Agreement& agreement);

}  // namespace warptime::cli
