// The comparison of a run with a profile as text and as JSON.
#include <algorithm>
#include <cmath>

#include "cli/compare/profile_comparison.h"
#include "cli/text_table.h"

namespace warptime::cli {

namespace {

constexpr size_t kMostPairs = 16;     // launches in the text
constexpr size_t kNamesInLine = 100;  // letters

std::string amount_text(double value) {
  if (value != std::floor(value) || std::abs(value) >= 1e15) return fmt::format("{:.2f}", value);
  std::string digits = fmt::format("{:.0f}", std::abs(value));
  for (size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return (value < 0 ? "-" : "") + digits;
}

std::string pair_text(const ProfileComparison::Pair& pair, const StatisticsFile& run, const Profile& profile) {
  std::string_view a = run.name(run.launches[pair.a].kernel), b = profile.text(profile.launches[pair.b].kernel);
  std::string out = fmt::format("\nlaunch {} of A, {}, beside launch {} of B{}{}\n", pair.a, a, pair.b,
                                a == b ? "" : ", ", a == b ? "" : b);
  if (pair.rows.empty()) return out + "  no counter of B is a statistic of A\n";
  bool is_partial = false;
  for (const ProfileComparison::Row& row : pair.rows) is_partial |= row.counted != "chip";
  TextRows rows{{"", "A", "B", "A / B", "unit", "counter of B"}};
  if (is_partial) rows[0].insert(rows[0].begin() + 4, "B counts");
  for (const ProfileComparison::Row& row : pair.rows) {
    bool is_extent = row.statistic.starts_with("grid.") || row.statistic.starts_with("block.");
    if (is_extent && row.a == row.b) continue;
    rows.push_back({row.statistic, amount_text(row.a), amount_text(row.b),
                    row.b == 0 ? "-" : fmt::format("{:.3f}", row.a / row.b), row.unit, row.counter});
    if (is_partial) rows.back().insert(rows.back().begin() + 4, std::string(row.counted));
  }
  for (size_t column = 1; column <= 3; ++column) {
    size_t width = 0;
    for (const auto& row : rows) width = std::max(width, row[column].size());
    for (auto& row : rows) row[column] = fmt::format("{:>{}}", row[column], width);
  }
  return out + text_table(rows, "  ");
}

/// Names between commas, in lines that fit.
std::string names_text(std::string_view title, const std::vector<std::string>& names) {
  if (names.empty()) return {};
  std::string out = fmt::format("\n{}\n", title), line = "  ";
  for (size_t i = 0; i < names.size(); ++i) {
    std::string name = names[i] + (i + 1 < names.size() ? "," : "");
    if (line.size() > 2 && line.size() + 1 + name.size() > kNamesInLine) {
      out += line + "\n";
      line = "  ";
    }
    line += (line.size() > 2 ? " " : "") + name;
  }
  return out + line + "\n";
}

std::string_view profiler_name(const Profile& profile) {
  return profile.format == Profile::Format::NsightCompute ? "Nsight Compute" : "CUDA profiler";
}

void write_names(host::ValueWriter& out, std::string_view key, const std::vector<std::string>& names) {
  out.begin_list(key);
  for (const std::string& name : names) out.text({}, name);
  out.end();
}

}  // namespace

std::string profile_text(const ProfileComparison& found, const StatisticsFile& run, const Profile& profile) {
  std::string out = text_table({{"A", run.file, run.target, run.machine, run.hash},
                                {"B", profile.file, std::string(profiler_name(profile)), profile.device}});
  for (size_t i = 0; i < found.pairs.size() && i < kMostPairs; ++i) out += pair_text(found.pairs[i], run, profile);
  if (found.pairs.size() > kMostPairs)
    out += fmt::format("\nand {} more launches (--json has them all)\n", found.pairs.size() - kMostPairs);
  out += names_text("counters of B that A does not have", found.only_b);
  out += names_text("statistics of A whose counters B lacks", found.only_a);
  if (!found.notes.empty()) out += "\n";
  for (const std::string& note : found.notes) out += fmt::format("note: {}\n", note);
  return out;
}

void write_profile_comparison(host::ValueWriter& out, const ProfileComparison& found, const StatisticsFile& run,
                              const Profile& profile) {
  out.begin_object({});
  out.number("schema", 1);
  out.begin_object("a");
  out.text("name", run.file);
  out.text("target", run.target);
  out.begin_object("machine");
  out.text("name", run.machine);
  out.text("hash", run.hash);
  out.end();
  out.end();
  out.begin_object("b");
  out.text("name", profile.file);
  out.text("profiler", profiler_name(profile));
  out.text("device", profile.device);
  out.end();
  write_names(out, "notes", found.notes);
  out.begin_list("launches");
  for (const ProfileComparison::Pair& pair : found.pairs) {
    out.begin_object({});
    out.begin_object("kernel");
    out.text("a", run.name(run.launches[pair.a].kernel));
    out.text("b", profile.text(profile.launches[pair.b].kernel));
    out.end();
    out.begin_object("launch");
    out.number("a", pair.a);
    out.number("b", pair.b);
    out.end();
    out.begin_list("counters");
    for (const ProfileComparison::Row& row : pair.rows) {
      out.begin_object({});
      out.text("name", row.statistic);
      out.text("unit", row.unit);
      out.text("counter", row.counter);
      out.text("counted", row.counted);
      out.real("a", row.a);
      out.real("b", row.b);
      if (row.b == 0) out.null("ratio");
      else out.real("ratio", row.a / row.b);
      out.end();
    }
    out.end();
    out.end();
  }
  out.end();
  write_names(out, "only_a", found.only_a);
  write_names(out, "only_b", found.only_b);
  out.end();
}

}  // namespace warptime::cli
