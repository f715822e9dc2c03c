#include "cli/compare/profile_counters.h"

#include <algorithm>
#include <array>

#include "base/csv_line.h"
#include "base/parse_number.h"
#include "sim/model/statistics_list.h"

namespace warptime::cli {

namespace {

std::vector<std::string> split(std::string_view text, std::string_view between) {
  std::vector<std::string> out;
  while (true) {
    size_t at = text.find(between);
    out.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return out;
    text.remove_prefix(at + between.size());
  }
}

SameNumber same_number(std::string statistic, const std::string& unit, std::vector<std::string> counters) {
  bool is_metric = counters.front().find("__") != std::string::npos;
  return {std::move(statistic), unit, std::move(counters),
          is_metric ? Profile::Format::NsightCompute : Profile::Format::CudaProfiler};
}

void add_same_numbers(std::vector<SameNumber>& out, const sim::StatisticRow& row) {
  std::vector<std::string> names = split(row.profiler, ", ");
  if (names.size() == 3 && names[1] == "_y") {  // "launch__grid_dim_x, _y, _z"
    std::string stem = names[0].substr(0, names[0].size() - 2);
    for (const char* axis : {"x", "y", "z"})
      out.push_back(same_number(fmt::format("{}.{}", row.name, axis), row.unit, {fmt::format("{}_{}", stem, axis)}));
    return;
  }
  for (const std::string& name : names) out.push_back(same_number(row.name, row.unit, split(name, " + ")));
}

/// The factor of the letters before a unit: "K" of Kbyte. Nsight Compute's are powers of ten.
std::optional<double> prefix_factor(std::string_view prefix) {
  if (prefix.empty()) return 1;
  if (prefix.size() != 1) return std::nullopt;
  constexpr std::array<std::pair<char, double>, 7> kPrefixes{
      {{'n', 1e-9}, {'u', 1e-6}, {'m', 1e-3}, {'K', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12}}};
  for (auto [letter, factor] : kPrefixes)
    if (letter == prefix[0]) return factor;
  return std::nullopt;
}

std::optional<double> factor_of(std::string_view unit, std::initializer_list<std::string_view> endings, double scale) {
  for (std::string_view ending : endings)
    if (unit.ends_with(ending))
      if (auto factor = prefix_factor(unit.substr(0, unit.size() - ending.size()))) return *factor * scale;
  return std::nullopt;
}

/// By which a value is multiplied to be in the unit of a statistic.
std::optional<double> unit_factor(std::string_view unit, std::string_view wanted) {
  if (unit.empty()) return 1;  // the CUDA profiler's, and counts of Nsight Compute: the unit of the statistic
  if (wanted == "microseconds") return factor_of(unit, {"second", "s"}, 1e6);
  if (wanted == "bytes") return factor_of(unit, {"byte/block", "byte"}, 1);
  if (wanted == "GB/s") return factor_of(unit, {"byte/second", "byte/s"}, 1e-9);
  // Counts: "inst", "cycle", "register/thread"; scaled ones have a capital before the word.
  bool is_scaled = unit.size() > 1 && (unit[0] == 'K' || unit[0] == 'M' || unit[0] == 'G') && unit[1] >= 'a';
  return is_scaled ? prefix_factor(unit.substr(0, 1)) : std::optional<double>(1);
}

/// Commas stand between groups of three digits, and nowhere else.
std::optional<std::string> without_commas(std::string_view text) {
  std::string out(text.substr(0, text.find(',')));
  size_t group = out.find_first_not_of('-');
  if (out.size() == text.size()) return out;
  if (group == std::string::npos || out.size() - group > 3) return std::nullopt;
  for (text.remove_prefix(out.size()); text.starts_with(','); text.remove_prefix(4)) {
    size_t end = std::min(text.find_first_of(",.", 1), text.size());
    if (end != 4) return std::nullopt;
    out += text.substr(1, 3);
  }
  return out + std::string(text);
}

}  // namespace

std::string SameNumber::name() const { return fmt::format("{}", fmt::join(counters, " + ")); }

const std::vector<SameNumber>& same_numbers() {
  static const std::vector<SameNumber> all = [] {
    std::vector<SameNumber> out;
    // issue_by_sm and instructions are parts of what is listed already; text is not a number.
    for (const sim::StatisticRow& row : sim::statistics_list())
      if (!row.profiler.empty() && row.unit != "name" && !row.name.starts_with("issue_by_sm.") &&
          !row.name.starts_with("instructions."))
        add_same_numbers(out, row);
    return out;
  }();
  return all;
}

std::string_view counted_where(Profile::Format format, std::string_view counter) {
  // CUPTI User's Guide, "Event Reference - Compute Capability 1.0 to 1.3": the column "Type".
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kTypes{{{"instructions", "one SM"},
                                                                                 {"divergent_branch", "one SM"},
                                                                                 {"warp_serialize", "one SM"},
                                                                                 {"tex_cache_hit", "one SM"},
                                                                                 {"tex_cache_miss", "one SM"},
                                                                                 {"gld_coherent", "one TPC"},
                                                                                 {"gld_incoherent", "one TPC"},
                                                                                 {"gst_coherent", "one TPC"},
                                                                                 {"gst_incoherent", "one TPC"}}};
  if (format == Profile::Format::CudaProfiler)
    for (auto [name, where] : kTypes)
      if (name == counter) return where;
  return "chip";
}

std::map<std::string, double, std::less<>> run_numbers(const StatisticsFile& file, const StatisticsFile::Part& part) {
  std::map<std::string, double, std::less<>> out;
  for (size_t i = 0; i < part.times.size(); ++i)
    if (!std::isnan(part.times[i])) out[StatisticsFile::kTimes[i]] = part.times[i];
  if (part.has_occupancy)
    for (size_t i = 0; i < part.occupancy.numbers.size(); ++i)
      out[fmt::format("occupancy.{}", StatisticsFile::kOccupancy[i])] = static_cast<double>(part.occupancy.numbers[i]);
  if (part.has_issue) out["issue.slots"] = part.slots;
  for (const auto& [name, value] : file.numbers(part.issue))
    out[name == "issued" ? "issue.issued" : "issue.stalls." + name] = value;
  for (const auto& [name, value] : file.numbers(part.counters)) out[name] = value;
  for (const auto& [name, value] : file.numbers(part.others)) out[name] = value;
  return out;
}

std::optional<double> counter_value(const Profile& profile, const Profile::Counter& counter, std::string_view unit) {
  auto factor = unit_factor(profile.text(counter.unit), unit);
  std::string_view text = text_of(counter.value);
  // Values of instances of the counter follow in brackets, where they were asked for.
  std::string_view number = without_blanks(text.substr(0, text.find(" (")));
  if (!factor || number.find_first_of("0123456789") == std::string_view::npos) return std::nullopt;
  double value = 0;
  auto digits = without_commas(number);
  if (!digits || parse_number(*digits, value) != NumberError::Ok)
    fail(counter.value, fmt::format("the value of {} is not a number", profile.text(counter.name)),
         profile.format == Profile::Format::NsightCompute
             ? "a point stands before the fraction, commas between groups of three digits; `LC_ALL=C ncu` writes it so"
             : "a point stands before the fraction");
  return value * *factor;
}

}  // namespace warptime::cli
