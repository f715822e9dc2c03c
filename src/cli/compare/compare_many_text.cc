// Many runs as people read them, and as JSON.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/compare/compare_many.h"
#include "cli/compare/compare_reports.h"
#include "cli/text_table.h"

namespace warptime::cli {

namespace {

constexpr size_t kShownIssue = 8, kShownCounters = 12;

/// "12,345", "1.25".
std::string digits_text(double value) {
  if (std::isnan(value)) return "-";
  if (value != std::floor(value) || std::abs(value) > 1e15) return fmt::format("{:.2f}", value);
  std::string digits = fmt::format("{:.0f}", std::abs(value));
  for (size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return (value < 0 ? "-" : "") + digits;
}

std::string with_change(const ComparedNumber& number, size_t run, size_t baseline) {
  std::string text = digits_text(number.values[run]);
  double change = number.change(run, baseline);
  if (run == baseline || std::isnan(number.values[run])) return text;
  if (std::isnan(change)) return number.values[run] == 0 ? text : text + " (new)";
  return fmt::format("{} ({:+.1f} %)", text, 100 * change);
}

bool has_moved(const ComparedNumber& number) {
  return std::any_of(number.values.begin(), number.values.end(), [&](double value) {
    return !(value == number.values[0] || (std::isnan(value) && std::isnan(number.values[0])));
  });
}

/// Numbers to the right of their columns.
std::string right_aligned(TextRows rows) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (auto& row : rows)
    for (size_t i = 1; i < row.size(); ++i) row[i] = fmt::format("{:>{}}", row[i], widths[i]);
  return text_table(rows, "  ");
}

/// Under a title, at most so many of the numbers that moved; empty: none did.
template <class Cell>
std::string numbers_text(const ManyRuns& many, const char* title, const std::vector<ComparedNumber>& numbers,
                         size_t most, Cell cell) {
  TextRows rows{{""}};
  for (size_t i = 0; i < many.runs.size(); ++i) rows.front().push_back(run_letter(i));
  size_t more = 0;
  for (const ComparedNumber& number : numbers) {
    std::vector<std::string> row{number.name};
    for (size_t i = 0; i < many.runs.size(); ++i) row.push_back(cell(number, i));
    // What does not move in the digits that are printed does not interest.
    if (!has_moved(number) || std::adjacent_find(row.begin() + 1, row.end(), std::not_equal_to<>()) == row.end())
      continue;
    if (rows.size() > most) ++more;
    else rows.push_back(std::move(row));
  }
  if (rows.size() == 1) return "";
  std::string out = fmt::format("\n{}\n{}", title, right_aligned(std::move(rows)));
  if (more > 0) out += fmt::format("  and {} more (--json has them all)\n", more);
  return out;
}

/// The launch that takes the most time speaks for the run.
const StatisticsFile::Part* longest_launch(const StatisticsFile& run) {
  const StatisticsFile::Part* longest = nullptr;
  for (const StatisticsFile::Part& launch : run.launches)
    if (longest == nullptr || launch.times[0] > longest->times[0]) longest = &launch;
  return longest != nullptr && longest->has_issue ? longest : nullptr;
}

nlohmann::ordered_json number_json(const ComparedNumber& number, size_t baseline) {
  nlohmann::ordered_json out{{"name", number.name}};
  for (const char* key : {"values", "changes"}) out[key] = nlohmann::ordered_json::array();
  for (size_t i = 0; i < number.values.size(); ++i) {
    double value = number.values[i], change = number.change(i, baseline);
    bool whole = value == std::floor(value) && value >= 0 && value < 9e15;
    out["values"].push_back(std::isnan(value) ? nlohmann::ordered_json()
                            : whole           ? nlohmann::ordered_json(static_cast<uint64_t>(value))
                                              : nlohmann::ordered_json(value));
    out["changes"].push_back(std::isnan(change) ? nlohmann::ordered_json() : nlohmann::ordered_json(change));
  }
  return out;
}

}  // namespace

std::string many_text(const ManyRuns& many) {
  TextRows sides, verdicts;
  for (size_t i = 0; i < many.runs.size(); ++i) {
    const StatisticsFile& run = many.runs[i];
    // A target that was run here has no file.
    sides.push_back({run_letter(i), run.file == run.target ? "-" : run.file, run.target, run.machine, run.hash,
                     i == many.baseline ? "the baseline" : ""});
    if (const StatisticsFile::Part* launch = longest_launch(run))
      verdicts.push_back({run_letter(i), run.name(launch->kernel), verdict_text(run, *launch)});
  }
  auto changes = [&](const ComparedNumber& number, size_t run) { return with_change(number, run, many.baseline); };
  auto shares = [](const ComparedNumber& number, size_t run) {
    return std::isnan(number.values[run]) ? std::string("-") : fmt::format("{:.1f} %", 100 * number.values[run]);
  };
  std::string out = text_table(sides);
  out += numbers_text(many, "time of all launches", many.time, many.time.size(), changes);
  out += numbers_text(many, "issue slots, share of all", many.issue, kShownIssue, shares);
  out += numbers_text(many, "resources, share of time that the busiest unit was busy", many.resources,
                      many.resources.size(), shares);
  out += numbers_text(many, "counters", many.counters, kShownCounters, changes) + "\n";
  for (const std::string& sentence : moved_sentences(many)) out += sentence + "\n";
  if (!verdicts.empty()) out += "\nbottleneck, of the longest launch\n" + text_table(verdicts, "  ");
  return out;
}

void write_many(host::ValueWriter& out, const ManyRuns& many) {
  out.begin_object({});
  out.number("schema", 1);
  out.number("baseline", many.baseline + 1);
  out.begin_list("runs");
  std::vector<std::string> sentences = moved_sentences(many);
  for (size_t i = 0; i < many.runs.size(); ++i) {
    const StatisticsFile& run = many.runs[i];
    const StatisticsFile::Part* launch = longest_launch(run);
    nlohmann::ordered_json of{{"name", run.file},
                              {"target", run.target},
                              {"machine", {{"name", run.machine}, {"hash", run.hash}}},
                              {"launches", run.launches.size()}};
    of["bottleneck"] =
        launch == nullptr ? nlohmann::ordered_json() : nlohmann::ordered_json(verdict_text(run, *launch));
    of["moved"] = i == many.baseline ? nlohmann::ordered_json()
                                     : nlohmann::ordered_json(sentences[i - (i > many.baseline ? 1 : 0)]);
    host::write_json(out, {}, of);
  }
  out.end();
  for (const auto& [key, numbers] : {std::pair("time", &many.time), std::pair("issue", &many.issue),
                                     std::pair("resources", &many.resources), std::pair("counters", &many.counters)}) {
    out.begin_list(key);
    for (const ComparedNumber& number : *numbers) host::write_json(out, {}, number_json(number, many.baseline));
    out.end();
  }
  out.end();
}

}  // namespace warptime::cli
