#include "cli/compare_reports.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "host/device.h"

namespace warptime::cli {

using Json = nlohmann::ordered_json;

namespace {

/// Numbers by dotted name, in the order of the report.
using Numbers = std::vector<std::pair<std::string, double>>;

void collect(const Json& value, const std::string& prefix, Numbers& out) {
  if (value.is_number()) out.emplace_back(prefix, value.get<double>());
  if (!value.is_object()) return;
  for (const auto& [key, member] : value.items()) collect(member, prefix.empty() ? key : prefix + "." + key, out);
}

Numbers numbers_of(const Json& value) {
  Numbers out;
  collect(value, "", out);
  return out;
}

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

/// `issued` and each stall reason, which is null where reasons were not kept.
Numbers slots_of(const Json& issue) {
  Numbers out;
  if (issue.is_null()) return out;
  out.emplace_back("issued", issue.at("issued").get<double>());
  collect(issue.at("stalls"), "", out);
  return out;
}

Json issue_moved(const Json& a, const Json& b) {
  Json rows = all_moved(slots_of(a), slots_of(b));
  auto share = [](const Json& cycles, const Json& issue) {
    double slots = issue.is_null() ? 0 : issue.at("slots").get<double>();
    return slots == 0 ? 0 : or_zero(cycles) / slots;
  };
  for (Json& row : rows) {
    row["share_a"] = share(row["a"], a);
    row["share_b"] = share(row["b"], b);
  }
  sort_by(rows, by_difference);
  return rows;
}

/// Empty where one side has no table, or the tables are of different programs.
Json instructions_moved(const Json& a, const Json& b) {
  Json out = Json::array();
  if (a.size() != b.size()) return out;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].at("line") != b[i].at("line") || a[i].at("text") != b[i].at("text")) return Json::array();
    Numbers from = slots_of(a[i]), to = slots_of(b[i]);
    auto sum = [](const Numbers& numbers) {
      double total = 0;
      for (const auto& [name, value] : numbers) total += value;
      return total;
    };
    Json issue = all_moved(from, to);
    sort_by(issue, by_difference);
    out.push_back({{"line", a[i]["line"].get<uint64_t>()},
                   {"text", a[i]["text"].get<std::string>()},
                   {"cycles", moved("cycles", sum(from), sum(to))},
                   {"issue", std::move(issue)}});
  }
  sort_by(out, [](const Json& row) { return by_difference(row["cycles"]); });
  return out;
}

/// The parts of a launch that are shown by themselves, and those that are other views of the same slots.
constexpr const char* kNoCounters[] = {"occupancy",   "issue",        "sampling", "warp_cycles",
                                       "issue_by_sm", "instructions", "resources"};
constexpr const char* kTimes[] = {"time_us", "cycles", "gflops"};

Numbers counters_of(Json part) {
  for (const char* name : kNoCounters) part.erase(name);
  for (const char* name : kTimes) part.erase(name);
  return numbers_of(part);
}

Json occupancy_json(const Json& occupancy) {
  Json out;
  for (const char* name : {"blocks_per_sm", "warps_per_sm", "registers_per_thread", "shared_bytes_per_block"})
    out[name] = occupancy.at(name).get<uint64_t>();
  out["limiter"] = occupancy.at("limiter").get<std::string>();
  return out;
}

/// The busiest unit's share by resource; none where a file has no resources.
Numbers resources_of(const Json& part) {
  Numbers out;
  if (part.contains("resources") && part["resources"].is_array())
    for (const Json& resource : part["resources"])
      out.emplace_back(resource.at("name").get<std::string>(), resource.at("busiest").get<double>());
  return out;
}

Json part_moved(const Json& a, const Json& b) {
  Json out;
  out["kernel"] = {{"a", a.value("kernel", "total")}, {"b", b.value("kernel", "total")}};
  out["time"] = Json::array();
  for (const char* name : kTimes)
    if (!a.at(name).is_null()) out["time"].push_back(moved(name, a[name], b.at(name)));
  out["occupancy"] = nullptr;
  if (a.contains("occupancy"))
    out["occupancy"] = {{"a", occupancy_json(a["occupancy"])}, {"b", occupancy_json(b.at("occupancy"))}};
  out["issue"] = issue_moved(a.at("issue"), b.at("issue"));
  out["resources"] = all_moved(resources_of(a), resources_of(b));
  sort_by(out["resources"], by_difference);
  out["counters"] = all_moved(counters_of(a), counters_of(b));
  sort_by(out["counters"], by_share);
  bool tables = a.contains("instructions") && b.contains("instructions");
  out["instructions"] = tables ? instructions_moved(a["instructions"], b["instructions"]) : Json::array();
  return out;
}

Json side_json(const ReportSide& side) {
  const Json& machine = side.report.at("machine");
  return {
      {"name", side.name},
      {"target", side.report.at("target").get<std::string>()},
      {"machine", {{"name", machine.at("name").get<std::string>()}, {"hash", machine.at("hash").get<std::string>()}}}};
}

[[noreturn]] void no_report(const SourceSpan& where, const std::string& name, const std::string& why) {
  fail(where, fmt::format("{} is no statistics file: {}", name, why), "`warptime run TARGET --stats FILE` writes one");
}

}  // namespace

ReportSide read_report(const Given& file) {
  auto source = read_file(file);
  ReportSide side{{}, file.text, file.where};
  try {
    side.report = Json::parse(source->text());
  } catch (const Json::parse_error& error) {
    size_t at = std::min(error.byte == 0 ? 0 : error.byte - 1, source->text().size());
    fail({source.get(), static_cast<uint32_t>(at), 1}, "a statistics file must be JSON, and this is none");
  } catch (const Json::exception&) {
    no_report(file.where, file.text, "a number in it is out of range");
  }
  if (!side.report.is_object()) no_report(file.where, file.text, "it is no object");
  for (const char* part : {"schema", "machine", "target", "launches", "total"})
    if (!side.report.contains(part)) no_report(file.where, file.text, fmt::format("it has no \"{}\"", part));
  if (side.report["schema"] != 1)
    fail(file.where, fmt::format("{} has schema {}; this version knows schema 1", file.text,
                                 side.report["schema"].dump(-1, ' ', false, Json::error_handler_t::replace)));
  if (!side.report["launches"].is_array()) no_report(file.where, file.text, "\"launches\" is no list");
  return side;
}

Json compare_reports(const ReportSide& a, const ReportSide& b) {
  const SourceSpan* reading = &a.where;
  try {
    Json out{{"schema", 1}, {"a", side_json(a)}};
    reading = &b.where;
    out["b"] = side_json(b);
    const Json &from = a.report["launches"], &to = b.report["launches"];
    if (from.size() != to.size())
      fail(b.where, fmt::format("{} has {} launches and {} has {}: they cannot be set side by side", a.name,
                                from.size(), b.name, to.size()));
    bool timed = !a.report["total"].at("time_us").is_null();
    if (timed == b.report["total"].at("time_us").is_null())
      fail(b.where,
           fmt::format("{} is a functional run and {} is not", timed ? b.name : a.name, timed ? a.name : b.name));
    out["launches"] = Json::array();
    for (size_t i = 0; i < from.size(); ++i) out["launches"].push_back(part_moved(from[i], to[i]));
    out["total"] = part_moved(a.report["total"], b.report["total"]);
    return out;
  } catch (const Json::exception& error) {
    no_report(*reading, a.name + " or " + b.name, error.what());
  }
}

}  // namespace warptime::cli
