#include "cli/compare/compare_reports.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/plural.h"

namespace warptime::cli {

using Json = nlohmann::ordered_json;

namespace {

Json find(const Numbers& numbers, const std::string& name) {
  for (const auto& [key, value] : numbers)
    if (key == name) return value;
  return nullptr;
}

double or_zero(const Json& number) { return number.is_null() ? 0 : number.get<double>(); }

Json moved(const std::string& name, const Json& a, const Json& b) {
  double from = or_zero(a), difference = or_zero(b) - from;
  return {{"name", name},
          {"a", a},
          {"b", b},
          {"difference", difference},
          {"change", from == 0 ? Json() : Json(difference / from)}};
}

/// Every number that is on either side; one that is missing there is null.
Json all_moved(const Numbers& a, const Numbers& b) {
  Json out = Json::array();
  std::set<std::string> seen;
  for (const Numbers* side : {&a, &b})
    for (const auto& [name, value] : *side)
      if (seen.insert(name).second) out.push_back(moved(name, find(a, name), find(b, name)));
  return out;
}

template <class Measure>
void sort_by(Json& rows, Measure measure) {
  std::stable_sort(rows.begin(), rows.end(), [&](const Json& x, const Json& y) { return measure(x) > measure(y); });
}

double by_difference(const Json& row) { return std::abs(row["difference"].get<double>()); }

/// 0 to 1 for numbers of one sign, whatever their unit.
double by_share(const Json& row) {
  double larger = std::max(std::abs(or_zero(row["a"])), std::abs(or_zero(row["b"])));
  return larger == 0 ? 0 : by_difference(row) / larger;
}

Json issue_moved(const Numbers& a, double slots_a, const Numbers& b, double slots_b) {
  Json rows = all_moved(a, b);
  auto share = [](const Json& cycles, double slots) { return slots == 0 ? 0 : or_zero(cycles) / slots; };
  for (Json& row : rows) {
    row["share_a"] = share(row["a"], slots_a);
    row["share_b"] = share(row["b"], slots_b);
  }
  sort_by(rows, by_difference);
  return rows;
}

using Part = StatisticsFile::Part;

/// Empty where one side has no table, or the tables are of different programs.
Json instructions_moved(const StatisticsFile& a, const Part& from, const StatisticsFile& b, const Part& to) {
  Json out = Json::array();
  size_t count = from.end_of_instructions - from.first_instruction;
  if (!from.has_instructions || !to.has_instructions || count != to.end_of_instructions - to.first_instruction)
    return out;
  for (size_t i = 0; i < count; ++i) {
    const auto& x = a.instruction(from.first_instruction + i);
    const auto& y = b.instruction(to.first_instruction + i);
    if (x.line != y.line || a.name(x.text) != b.name(y.text)) return Json::array();
    Numbers of_x = a.numbers(x.issue), of_y = b.numbers(y.issue);
    auto sum = [](const Numbers& numbers) {
      double total = 0;
      for (const auto& [name, value] : numbers) total += value;
      return total;
    };
    Json issue = all_moved(of_x, of_y);
    sort_by(issue, by_difference);
    out.push_back({{"line", x.line},
                   {"text", a.name(x.text)},
                   {"cycles", moved("cycles", sum(of_x), sum(of_y))},
                   {"issue", std::move(issue)}});
  }
  sort_by(out, [](const Json& row) { return by_difference(row["cycles"]); });
  return out;
}

Json occupancy_json(const StatisticsFile& file, const StatisticsFile::Occupancy& occupancy) {
  Json out;
  for (size_t i = 0; i < occupancy.numbers.size(); ++i) out[StatisticsFile::kOccupancy[i]] = occupancy.numbers[i];
  out["limiter"] = file.name(occupancy.limiter);
  return out;
}

Json side_json(const StatisticsFile& side) {
  return {{"name", side.file}, {"target", side.target}, {"machine", {{"name", side.machine}, {"hash", side.hash}}}};
}

bool is_timed(const StatisticsFile& file) { return !std::isnan(file.total.times[0]); }

}  // namespace

Json part_moved(const StatisticsFile& a, const Part& from, const StatisticsFile& b, const Part& to, bool whole) {
  auto time = [](const Part& part, size_t i) {
    if (std::isnan(part.times[i])) return Json();
    return (part.whole_times >> i & 1) != 0 ? Json(static_cast<uint64_t>(part.times[i])) : Json(part.times[i]);
  };
  Json out;
  out["kernel"] = {{"a", a.name(from.kernel)}, {"b", b.name(to.kernel)}};
  out["time"] = Json::array();
  for (size_t i = 0; i < from.times.size(); ++i)
    if (!std::isnan(from.times[i])) out["time"].push_back(moved(StatisticsFile::kTimes[i], time(from, i), time(to, i)));
  out["occupancy"] = nullptr;
  if (from.has_occupancy)
    out["occupancy"] = {{"a", occupancy_json(a, from.occupancy)}, {"b", occupancy_json(b, to.occupancy)}};
  if (whole) {
    out["issue"] = issue_moved(a.numbers(from.issue), from.slots, b.numbers(to.issue), to.slots);
    out["resources"] = all_moved(a.numbers(from.resources), b.numbers(to.resources));
    sort_by(out["resources"], by_difference);
    out["counters"] = all_moved(a.numbers(from.counters), b.numbers(to.counters));
    sort_by(out["counters"], by_share);
  }
  out["instructions"] = instructions_moved(a, from, b, to);
  return out;
}

void check_comparable(const StatisticsFile& a, const StatisticsFile& b) {
  if (a.launches.size() != b.launches.size())
    fail(b.where, fmt::format("{} has {} and {} has {}: they cannot be set side by side", a.file,
                              plural(a.launches.size(), "launch", "launches"), b.file, b.launches.size()));
  if (is_timed(a) != is_timed(b))
    fail(b.where, fmt::format("{} is a functional run and {} is not", is_timed(a) ? b.file : a.file,
                              is_timed(a) ? a.file : b.file));
  for (size_t i = 0; i < a.launches.size(); ++i)
    if (a.launches[i].has_occupancy && !b.launches[i].has_occupancy)
      fail(b.where, fmt::format("{} is not a statistics file: launches[{}] has no \"occupancy\"", b.file, i));
}

void write_comparison(host::ValueWriter& out, const StatisticsFile& a, const StatisticsFile& b) {
  out.begin_object({});
  out.number("schema", 1);
  host::write_json(out, "a", side_json(a));
  host::write_json(out, "b", side_json(b));
  out.begin_list("launches");
  for (size_t i = 0; i < a.launches.size(); ++i)
    host::write_json(out, {}, part_moved(a, a.launches[i], b, b.launches[i], true));
  out.end();
  host::write_json(out, "total", part_moved(a, a.total, b, b.total, true));
  out.end();
}

}  // namespace warptime::cli
