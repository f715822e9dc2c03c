// The rows of `warptime validate` and their summaries as CSV: two tables, because a table has one kind of row.
#include <fmt/format.h>

#include "cli/validate/validate_report.h"
#include "host/report/report.h"

namespace warptime::cli {

namespace {

std::string joined_cells(const std::vector<std::string>& cells) {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) line += (i == 0 ? "" : ",") + host::csv_cell(cells[i]);
  return line + "\n";
}

std::string number_cell(const std::optional<double>& value) { return value ? fmt::format("{}", *value) : ""; }

std::string figure_cell(const host::FigureValue& value) {
  const auto* number = std::get_if<double>(&value);
  return number != nullptr ? fmt::format("{}", *number) : std::get<std::string>(value);
}

}  // namespace

std::string validation_csv(const ValidationReport& report) {
  std::string out = joined_cells({"group",         "name",           "quantity", "kind",
                                  "published",     "simulated",      "error",    "difference",
                                  "same",          "factor",         "role",     "machine",
                                  "set",           "source",         "note",     "failure",
                                  "published_low", "published_high", "samples",  "within_uncertainty",
                                  "run",           "class"});
  for (const host::ValidationOutcome* outcome : outcomes_of(report)) {
    const host::ValidationRow& row = *outcome->row;
    host::QuantityKind kind = host::kind_of(*outcome);
    std::string difference = host::has_difference(kind) ? number_cell(host::difference(*outcome)) : "";
    std::string same = !host::has_same(kind) ? "" : host::same_as_published(*outcome) ? "true" : "false";
    out += joined_cells({outcome->group,
                         row.name,
                         row.quantity,
                         std::string(host::kind_name(kind)),
                         figure_cell(row.published),
                         outcome->simulated ? figure_cell(*outcome->simulated) : "",
                         number_cell(outcome->error()),
                         difference,
                         same,
                         number_cell(outcome->factor()),
                         std::string(host::role_name(outcome->role)),
                         outcome->machine,
                         fmt::format("{}", fmt::join(outcome->overrides, " ")),
                         row.source,
                         row.note,
                         outcome->failure,
                         row.range ? fmt::format("{}", row.range->low) : "",
                         row.range ? fmt::format("{}", row.range->high) : "",
                         row.range && row.range->samples > 0 ? fmt::format("{}", row.range->samples) : "",
                         !row.range                    ? ""
                         : *outcome->is_within_range() ? "true"
                                                       : "false",
                         outcome->run,
                         outcome->kernel_class});
  }
  return out;
}

std::string summary_csv(const ValidationReport& report) {
  std::vector<std::string> head{"group", "quantity", "kind", "rows", "failed"};
  for (const host::MeasureInfo& measure : host::kMeasures) head.emplace_back(measure.name);
  head.emplace_back("same");
  std::string out = joined_cells(head);
  for (const auto& [group, summary] : named_summaries(report)) {
    std::vector<std::string> cells{group, summary.quantity, std::string(host::kind_name(summary.kind)),
                                   fmt::format("{}", summary.rows), fmt::format("{}", summary.failed)};
    for (const host::MeasureInfo& measure : host::kMeasures) cells.push_back(number_cell(summary.*measure.value));
    cells.push_back(summary.same ? fmt::format("{}", *summary.same) : "");
    out += joined_cells(cells);
  }
  return out;
}

}  // namespace warptime::cli
