// A comparison as people read it: launches, then issue slots, counters and instructions, what did not move left out.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/compare/compare_reports.h"
#include "cli/text_table.h"
#include "host/report/verdict.h"
#include "ptx/user/demangle.h"

namespace warptime::cli {

using Json = nlohmann::ordered_json;

namespace {

constexpr size_t kMostInstructions = 12;

std::string number_text(const Json& value) {
  if (value.is_null()) return "-";
  double number = value.get<double>();
  if (number != std::floor(number)) return fmt::format("{:.2f}", number);
  std::string digits = fmt::format("{:.0f}", std::abs(number));
  for (size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return (number < 0 ? "-" : "") + digits;
}

std::string signed_text(const Json& value) {
  std::string text = number_text(value);
  return value.get<double>() > 0 ? "+" + text : text;
}

std::string change_text(const Json& row) {
  return row["change"].is_null() ? "new" : fmt::format("{:+.1f} %", row["change"].get<double>() * 100);
}

std::string share_text(const Json& share) { return fmt::format("{:.1f} %", share.get<double>() * 100); }

bool still(const Json& row) { return row["difference"] == 0; }

std::string occupancy_text(const Json& occupancy) {
  return fmt::format("{} warps, {}", occupancy.at("warps_per_sm").get<uint64_t>(),
                     occupancy.at("limiter").get<std::string>());
}

/// Numbers stand to the right of their column.
std::string aligned(TextRows rows, size_t text_columns) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (auto& row : rows)
    for (size_t i = text_columns; i < row.size(); ++i) row[i] = fmt::format("{:>{}}", row[i], widths[i]);
  return text_table(rows, "  ");
}

std::string kernel_text(const Json& kernel) {
  return kernel["a"] == kernel["b"] ? ptx::demangled(kernel["a"].get<std::string>())
                                    : fmt::format("{} / {}", ptx::demangled(kernel["a"].get<std::string>()),
                                                  ptx::demangled(kernel["b"].get<std::string>()));
}

/// A part's row in the table of launches.
std::vector<std::string> launch_row(const Json& part) {
  std::vector<std::string> row{kernel_text(part["kernel"])};
  if (part["time"].empty()) {
    row.insert(row.end(), {"-", "-", "-"});
  } else {
    const Json& time = part["time"][0];
    row.insert(row.end(), {number_text(time["a"]), number_text(time["b"]), change_text(time)});
  }
  if (!part["occupancy"].is_null()) {
    row.push_back(occupancy_text(part["occupancy"]["a"]));
    row.push_back(occupancy_text(part["occupancy"]["b"]));
  }
  return row;
}

std::string issue_text(const Json& rows_in) {
  TextRows rows{{"", "A", "B", "difference", "share A", "share B"}};
  for (const Json& row : rows_in)
    if (!still(row))
      rows.push_back({row["name"].get<std::string>(), number_text(row["a"]), number_text(row["b"]),
                      signed_text(row["difference"]), share_text(row["share_a"]), share_text(row["share_b"])});
  return rows.size() == 1 ? "" : "\nissue slots, cycles over all SMs\n" + aligned(std::move(rows), 1);
}

/// Those whose share is another when it is printed.
std::string resources_text(const Json& rows_in) {
  TextRows rows{{"", "A", "B"}};
  for (const Json& row : rows_in)
    if (!row["a"].is_null() && !row["b"].is_null() && share_text(row["a"]) != share_text(row["b"]))
      rows.push_back({row["name"].get<std::string>(), share_text(row["a"]), share_text(row["b"])});
  return rows.size() == 1 ? ""
                          : "\nresources, share of time that the busiest unit was busy\n" + aligned(std::move(rows), 1);
}

std::string counters_text(const Json& rows_in) {
  TextRows rows{{"", "A", "B", "change"}};
  for (const Json& row : rows_in)
    if (!still(row))
      rows.push_back({row["name"].get<std::string>(), number_text(row["a"]), number_text(row["b"]), change_text(row)});
  return rows.size() == 1 ? "" : "\ncounters\n" + aligned(std::move(rows), 1);
}

std::string instruction_rows_text(const Json& part) {
  TextRows rows{{"line", "A", "B", "difference", "most moved", "text"}};
  size_t more = 0;
  for (const Json& row : part["instructions"]) {
    if (still(row["cycles"])) continue;
    if (rows.size() > kMostInstructions) {
      ++more;
      continue;
    }
    rows.push_back({fmt::format("{}", row["line"].get<uint64_t>()), number_text(row["cycles"]["a"]),
                    number_text(row["cycles"]["b"]), signed_text(row["cycles"]["difference"]),
                    row["issue"][0]["name"].get<std::string>(), row["text"].get<std::string>()});
  }
  if (rows.size() == 1) return "";
  // The last two columns are text.
  std::string out = fmt::format("\ninstructions of {}, slots issued and stalled\n", kernel_text(part["kernel"]));
  for (auto& row : rows) {
    std::string tail = fmt::format("{:<22}{}", row[4], row[5]);
    row.resize(4);
    row.push_back(std::move(tail));
  }
  std::vector<size_t> widths(4, 0);
  for (const auto& row : rows)
    for (size_t i = 0; i < 4; ++i) widths[i] = std::max(widths[i], row[i].size());
  for (const auto& row : rows) {
    std::string line = " ";
    for (size_t i = 0; i < 4; ++i) line += fmt::format(" {:>{}}", row[i], widths[i] + (i > 0));
    line += "  " + row[4];
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  if (more > 0) out += fmt::format("  and {} more (--json has them all)\n", more);
  return out;
}

/// What binds each launch on both sides, of up to so many.
constexpr size_t kVerdicts = 8;

}  // namespace

std::string verdict_text(const StatisticsFile& file, const StatisticsFile::Part& part) {
  host::BusiestShares shares{};
  for (const auto& [name, share] : file.numbers(part.resources))
    for (size_t i = 0; i < sim::kResourceCount; ++i)
      if (sim::kResources[i].key == name) shares[i] = share;
  return host::verdict(shares, "").line();
}

namespace {

std::string verdicts_text(const StatisticsFile& a, const StatisticsFile& b) {
  TextRows rows;
  for (size_t i = 0; i < std::min(a.launches.size(), kVerdicts); ++i) {
    if (!a.launches[i].has_issue || !b.launches[i].has_issue) return "";
    rows.push_back({"A", ptx::demangled(a.name(a.launches[i].kernel)), verdict_text(a, a.launches[i])});
    rows.push_back({"B", ptx::demangled(b.name(b.launches[i].kernel)), verdict_text(b, b.launches[i])});
  }
  return rows.empty() ? "" : "\nbottleneck\n" + text_table(rows, "  ");
}

}  // namespace

std::string comparison_text(const StatisticsFile& a, const StatisticsFile& b) {
  TextRows sides{{"A", a.file, a.target, a.machine, a.hash}, {"B", b.file, b.target, b.machine, b.hash}};
  TextRows launches{{"launch", "time us A", "B", "change", "occupancy A", "B"}};
  std::string instructions;
  for (size_t i = 0; i < a.launches.size(); ++i) {
    Json part = part_moved(a, a.launches[i], b, b.launches[i], false);
    launches.push_back(launch_row(part));
    instructions += instruction_rows_text(part);
  }
  Json total = part_moved(a, a.total, b, b.total, true);
  if (a.launches.size() != 1) launches.push_back(launch_row(total));
  std::string out = text_table(sides) + "\n" + aligned(std::move(launches), 1);
  std::string moved =
      issue_text(total["issue"]) + resources_text(total["resources"]) + counters_text(total["counters"]) + instructions;
  return out + (moved.empty() ? "\nnothing else moved\n" : moved) + verdicts_text(a, b);
}

}  // namespace warptime::cli
