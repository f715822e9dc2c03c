// The agreement of each quantity by itself, by measures that researchers publish; and the limits that --max-error and
// --max-mean-error set.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/text_table.h"
#include "cli/validate/validate_report.h"

namespace warptime::cli {

struct QuantityAgreement {
  std::string group, quantity;
  host::Agreement agreement;
};
/// The quantities of each group in the order of their rows: those with a predicted row that has a number.
std::vector<QuantityAgreement> quantity_agreements(const ValidationReport& report);

/// A table with its head: group, quantity, rows, mean and largest error, factor, both correlations, shares within 10
/// and 20 %, rows within their uncertainty. "-": these rows do not have it.
TextRows quantity_rows(const ValidationReport& report);
/// A line per quantity.
std::string quantities_csv(const ValidationReport& report);

/// Largest errors, as fractions.
struct ErrorLimits {
  std::optional<double> each, mean;
};
/// "10%" or "0.1"; fails at the option.
ErrorLimits error_limits(const Arguments& arguments);
/// A sentence for each limit that the predicted rows exceed; empty: none. A row within its uncertainty exceeds nothing.
std::string exceeded_text(const ValidationReport& report, const ErrorLimits& limits);

}  // namespace warptime::cli
