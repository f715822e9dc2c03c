// The page that `warptime validate --markdown` writes: a table for each group, what could not be run, and how to read
// it.
#include <fmt/format.h>

#include <algorithm>

#include "cli/validate/validate_quantities.h"
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
| predicted | neither: the test of the model. The summary is of these |
| alternative | is explained by another machine file; no mean includes it |
| recalled | is known from memory or at second hand, because its printed source could not be read: listed with the factor published / simulated, in no mean, and no parameter is fitted to it |
| assumed | is known, but its source does not print the program: the workload's README says what is assumed of it; in no mean |

)";

constexpr std::string_view kMeasureText = R"(
Each quantity is summarized by the measure that suits its kind, because a mean over rates, percentages, ratios and registers would say
nothing of any of them:

| kind | of | a row shows | the summary |
|---|---|---|---|
| timing | rates, times and cycles | simulated / published - 1 | mean and largest size of this error, over all these quantities |
| speedup | ratios to another program or processor | simulated / published | geometric mean of the factor between the two, whichever is larger, and that of the ratio; Spearman's rank correlation |
| share | percentages of a whole | simulated - published in percentage points | mean and largest size of this difference, and its mean with signs |
| count | threads, registers, bytes | "exact" if it rounds to what is printed, else simulated - published | how many are exact; mean and largest size of the difference |
| text | names and statements ("> 99 %" is "true") | "same" or "other" | how many are the same |
| listed | quantities whose definition is not published | nothing | nothing |

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
  return fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", cell(row.name), cell(row.quantity),
                     cell(published_text(row)), outcome.simulated ? cell(value_text(*outcome.simulated)) : "-",
                     error_text(outcome), host::role_name(outcome.role), cell(machine), cell(outcome.run),
                     cell(row.source), cell(note));
}

/// The sources of the user's own figures, each once, with their number of rows.
std::string sources_text(const ValidationReport& report) {
  std::vector<std::pair<std::string, size_t>> sources;
  for (const std::string& group : report.own_groups)
    for (const host::ValidationOutcome* outcome : outcomes_of(report, group)) {
      const std::string& source = outcome->row->source;
      auto same = [&](const auto& known) { return known.first == source; };
      auto found = std::find_if(sources.begin(), sources.end(), same);
      if (found == sources.end()) found = sources.insert(found, {source, 0});
      ++found->second;
    }
  std::vector<std::string> texts;
  for (const auto& [source, rows] : sources)
    texts.push_back(fmt::format("{} ({} row{})", source, rows, rows == 1 ? "" : "s"));
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::string head_text(const ValidationReport& report, const std::vector<std::string>& groups) {
  if (report.own_groups.empty()) return std::string(kPublishedHead);
  std::string out(kOwnHead);
  out += fmt::format("The figures of {} come from {} of the user's own, who says where each is from:\n{}.",
                     fmt::join(report.own_groups, ", "), report.own_groups.size() == 1 ? "a table" : "tables",
                     sources_text(report));
  if (groups.size() > report.own_groups.size()) out += " The others were measured on hardware and published.";
  return out;
}

/// The second summary; empty without a predicted number.
std::string quantities_text(const ValidationReport& report) {
  TextRows rows = quantity_rows(report);
  if (rows.size() < 2) return "";
  std::string out =
      "\nEach quantity by itself, whatever its kind: the mean and the largest size of simulated / published - 1, the "
      "geometric mean\nof the factor between the two, Pearson's and Spearman's correlation, the share of rows within "
      "10 "
      "and 20 % of the published\nfigure, and how many of those with an uncertainty are within it.\n\n";
  for (size_t i = 0; i < rows.size(); ++i) {
    for (const std::string& text : rows[i]) out += "| " + cell(text) + " ";
    out += "|\n";
    if (i == 0) out += "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n";
  }
  return out;
}

}  // namespace

std::string validation_page(const ValidationReport& report, const ValidationChart& scatter,
                            const ValidationChart& bars) {
  std::vector<std::string> groups = groups_of(report);
  std::string out = head_text(report, groups) + std::string(kRoleTable);
  out += "## Summary\n" + std::string(kMeasureText) +
         "| group | quantity | kind | figures | agreement |\n|---|---|---|---:|---|\n";
  for (const auto& [group, summary] : named_summaries(report))
    out += fmt::format("| {} | {} | {} | {} | {} |\n", cell(group), cell(summary.quantity),
                       host::kind_name(summary.kind), summary.rows, agreement_text(summary));
  out += quantities_text(report);
  if (!scatter.script.empty())
    out += fmt::format("\n![speed-ups: simulated against {}]({})\n",
                       report.own_groups.empty() ? "published" : "those of the table", scatter.file);
  if (!bars.script.empty())
    out += fmt::format("\n![kernel timing: the error of each figure that is not an input]({})\n", bars.file);
  for (const std::string& group : groups) {
    out += fmt::format("\n## {}\n\n", group);
    out += "| figure | quantity | published | simulated | error | role | machine | run | source | |\n";
    out += "|---|---|---:|---:|---:|---|---|---|---|---|\n";
    for (const host::ValidationOutcome* outcome : outcomes_of(report, group)) out += row_text(*outcome);
  }
  out += "\nMachines, by the hash over all their values:\n\n";
  for (const auto& [name, hash] : report.machine_hashes) out += fmt::format("- `{}` {}\n", hash, name);
  return out;
}

}  // namespace warptime::cli
