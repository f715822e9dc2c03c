#include "cli/validate/validate_quantities.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/parse_number.h"
#include "host/report/report.h"

namespace warptime::cli {

namespace {

std::string percent(const std::optional<double>& share, int digits) {
  return share ? fmt::format("{:.{}f} %", 100 * *share, digits) : "-";
}
std::string decimals(const std::optional<double>& value) { return value ? fmt::format("{:.2f}", *value) : "-"; }
std::string csv_number(const std::optional<double>& value) { return value ? fmt::format("{}", *value) : ""; }

std::optional<double> read_limit(const Arguments& arguments, std::string_view option) {
  auto given = arguments.value(option);
  if (!given) return std::nullopt;
  std::string text = given->text;
  bool in_percent = text.ends_with('%');
  if (in_percent) text.pop_back();
  while (in_percent && text.ends_with(' ')) text.pop_back();
  double value = 0;
  bool ok = parse_number(text, value) == NumberError::Ok && value >= 0;
  // "--max-error 10" would mean either of two things.
  if (!ok || (!in_percent && value > 1))
    fail(given->where, fmt::format("--{} takes a percentage, or a fraction up to 1", option),
         ok ? fmt::format("{}%, or {}", text, value / 100) : "10%, or 0.1");
  return in_percent ? value / 100 : value;
}

}  // namespace

std::vector<QuantityAgreement> quantity_agreements(const ValidationReport& report) {
  std::vector<QuantityAgreement> out;
  for (const std::string& group : groups_of(report)) {
    std::vector<const host::ValidationOutcome*> all = outcomes_of(report, group);
    std::vector<std::string> seen;
    for (const host::ValidationOutcome* outcome : all) {
      const std::string& quantity = outcome->row->quantity;
      bool listed = host::kind_of(*outcome) == host::QuantityKind::Listed;
      if (listed || std::find(seen.begin(), seen.end(), quantity) != seen.end()) continue;
      seen.push_back(quantity);
      std::vector<const host::ValidationOutcome*> same;
      for (const host::ValidationOutcome* other : all)
        if (other->row->quantity == quantity) same.push_back(other);
      host::Agreement agreement = host::agreement(same);
      if (agreement.rows > 0) out.push_back({group, quantity, agreement});
    }
  }
  return out;
}

TextRows quantity_rows(const ValidationReport& report) {
  TextRows rows{{"group", "quantity", "rows", "mean error", "largest", "factor", "Pearson", "Spearman", "within 10 %",
                 "within 20 %", "within uncertainty"}};
  for (const auto& [group, quantity, a] : quantity_agreements(report))
    rows.push_back({group, quantity, fmt::format("{}", a.rows), percent(a.mean_abs_error, 1),
                    percent(a.max_abs_error, 1), decimals(a.geometric_mean_factor), decimals(a.pearson_correlation),
                    decimals(a.rank_correlation), percent(a.within_10_percent, 0), percent(a.within_20_percent, 0),
                    a.with_range > 0 ? fmt::format("{} of {}", a.within_range, a.with_range) : "-"});
  return rows;
}

std::string quantities_csv(const ValidationReport& report) {
  std::string out =
      "group,quantity,rows,mean_abs_error,max_abs_error,geometric_mean_factor,pearson_correlation,rank_correlation,"
      "within_10_percent,within_20_percent,with_uncertainty,within_uncertainty\n";
  for (const auto& [group, quantity, a] : quantity_agreements(report))
    out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\n", host::csv_cell(group), host::csv_cell(quantity), a.rows,
                       csv_number(a.mean_abs_error), csv_number(a.max_abs_error), csv_number(a.geometric_mean_factor),
                       csv_number(a.pearson_correlation), csv_number(a.rank_correlation),
                       csv_number(a.within_10_percent), csv_number(a.within_20_percent), a.with_range, a.within_range);
  return out;
}

ErrorLimits error_limits(const Arguments& arguments) {
  return {read_limit(arguments, "max-error"), read_limit(arguments, "max-mean-error")};
}

std::string exceeded_text(const ValidationReport& report, const ErrorLimits& limits) {
  std::string out;
  std::vector<std::string> rows;
  size_t predicted = 0;
  for (const host::ValidationOutcome* outcome : outcomes_of(report)) {
    std::optional<double> error = outcome->error();
    if (outcome->role != host::Role::Predicted || !error) continue;
    ++predicted;
    if (limits.each && std::abs(*error) > *limits.each && !outcome->is_within_range().value_or(false))
      rows.push_back(outcome->simulated ? fmt::format("{} ({:+.1f} %)", outcome->row->name, 100 * *error)
                                        : fmt::format("{} (failed)", outcome->row->name));
  }
  if (!rows.empty())
    out += fmt::format("{} of {} predicted figures {} off by more than {:g} %: {}\n", rows.size(), predicted,
                       rows.size() == 1 ? "is" : "are", 100 * *limits.each, fmt::join(rows, ", "));
  std::optional<double> mean = host::agreement(outcomes_of(report)).mean_abs_error;
  if (limits.mean && mean && *mean > *limits.mean)
    out += fmt::format("the mean error of {} predicted figures is {:.1f} %, more than {:g} %\n", predicted, 100 * *mean,
                       100 * *limits.mean);
  if ((limits.each || limits.mean) && predicted == 0) out += "no predicted figure: there is no error to limit\n";
  return out;
}

}  // namespace warptime::cli
