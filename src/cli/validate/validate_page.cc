// The page that `warptime validate --markdown` writes: a table for each group, what could not be run, and how to read
// it.
#include <fmt/format.h>

#include "cli/validate/validate_report.h"

namespace warptime::cli {

namespace {

constexpr std::string_view kPublishedHead = R"(# Simulated figures beside published ones

For readers who decide how far to trust a simulated time: every figure that the model is compared with, beside what it gives.
Written by `warptime validate --markdown docs/validation.md`; do not edit.

Every figure here was measured on hardware and published.)";

/// With tables of the user's own: nothing is known of where their figures come from but what their rows say.
constexpr std::string_view kOwnHead = R"(# Simulated figures beside those of a table

Written by `warptime validate --markdown`; do not edit.

)";

constexpr std::string_view kRoleTable = R"( A row's role says what its agreement is worth:

| role | the published figure |
|---|---|
| input | is a value of the machine file (or follows from some at once): agreement says that the model does as it is told |
| fitted | is what a parameter was fitted to |
| predicted | neither: the test of the model. Means are over these |
| alternative | is explained by another machine file; no mean includes it |
| recalled | is known from memory or at second hand, because its printed source could not be read: listed with the factor published / simulated, in no mean, and no parameter is fitted to it |
| assumed | is known, but its source does not print the program: the workload's README says what is assumed of it; in no mean |

)";

/// Text for a cell: a bar would end it.
std::string cell(std::string text) {
  for (size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
  return text;
}

std::string row_text(const host::ValidationOutcome& outcome) {
  const host::ValidationRow& row = *outcome.row;
  std::string machine = outcome.machine;
  for (const std::string& text : outcome.overrides) machine += ", " + text;
  std::string note = row.note;
  if (!outcome.simulated) note = outcome.failure + (note.empty() ? "" : "; " + note);
  return fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", row.name, cell(row.quantity),
                     cell(value_text(row.published)), outcome.simulated ? cell(value_text(*outcome.simulated)) : "-",
                     error_text(outcome), host::role_name(outcome.role), cell(machine), cell(row.source), cell(note));
}

std::string head_text(const ValidationReport& report, const std::vector<std::string>& groups) {
  if (report.own_groups.empty()) return std::string(kPublishedHead);
  std::string out(kOwnHead);
  out += fmt::format("The figures of {} come from {} of the user's own; the column \"source\" says where each is from.",
                     fmt::join(report.own_groups, ", "), report.own_groups.size() == 1 ? "a table" : "tables");
  if (groups.size() > report.own_groups.size()) out += " The others were measured on hardware and published.";
  return out;
}

}  // namespace

std::string validation_page(const ValidationReport& report, const std::string& charts) {
  std::vector<std::string> groups = groups_of(report);
  std::string out = head_text(report, groups) + std::string(kRoleTable);
  for (const std::string& group : groups)
    out += fmt::format("- {}: {}\n", group, agreement_text(host::agreement(outcomes_of(report, group))));
  if (groups.size() > 1) out += fmt::format("- together: {}\n", agreement_text(host::agreement(outcomes_of(report))));
  out += fmt::format("\n![simulated against {}]({}-scatter.svg)\n\n",
                     report.own_groups.empty() ? "published figures" : "the table's figures", charts);
  out += fmt::format("![the error of each figure that is not an input]({}-bars.svg)\n", charts);
  for (const std::string& group : groups) {
    out += fmt::format("\n## {}\n\n", group);
    out += "| figure | quantity | published | simulated | error | role | machine | source | |\n";
    out += "|---|---|---:|---:|---:|---|---|---|---|\n";
    for (const host::ValidationOutcome* outcome : outcomes_of(report, group)) out += row_text(*outcome);
  }
  out += "\nMachines, by the hash over all their values:\n\n";
  for (const auto& [name, hash] : report.machine_hashes) out += fmt::format("- `{}` {}\n", hash, name);
  return out;
}

}  // namespace warptime::cli
