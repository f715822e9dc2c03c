#include "cli/sweep/sweep_table.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json_value.h"
#include "cli/output.h"

namespace warptime::cli {

using Json = nlohmann::ordered_json;

namespace {

/// A report with every number that a point's may have: only caches are there on some machines and not on others.
host::RunReport shape_of(const SweepPlan& plan) {
  auto may_be_there = [&](const sim::CacheLevel& level) {
    auto swept = [&](const SweepAxis& axis) {
      return axis.name == fmt::format("{}.bytes", level.path) && axis.values != std::vector<std::string>{"0"};
    };
    auto has = [&](const sim::Machine& machine) { return level.of(machine.config).bytes != 0; };
    return std::any_of(plan.machines().begin(), plan.machines().end(), has) ||
           std::any_of(plan.axes().begin(), plan.axes().end(), swept);
  };
  host::RunReport shape;
  shape.launches.emplace_back().caches.reported = sim::reported_caches(may_be_there);
  return shape;
}

/// All columns of statistics.
std::vector<std::string> all_columns(const SweepPlan& plan) {
  std::vector<std::string> columns{"launches"};
  for (const auto& [name, cell] : numbers_of_total(shape_of(plan))) columns.push_back(name);
  columns.insert(columns.end(), kLaunchColumns.begin(), kLaunchColumns.end());
  for (const std::string& name : plan.figure_names())
    if (std::find(columns.begin(), columns.end(), name) == columns.end()) columns.push_back(name);
  return columns;
}

/// Those of --columns, in its order: names, or their beginnings before a "*".
std::vector<std::string> chosen_columns(const ArgumentText& given, const std::vector<std::string>& all) {
  std::vector<std::string> columns;
  for (const std::string& name : split_values(given.text)) {
    bool several = name.ends_with('*'), found = false;
    std::string_view begin = std::string_view(name).substr(0, name.size() - (several ? 1 : 0));
    for (const std::string& column : all) {
      if (several ? !column.starts_with(begin) : column != name) continue;
      found = true;
      if (std::find(columns.begin(), columns.end(), column) == columns.end()) columns.push_back(column);
    }
    if (found) continue;
    std::string near = did_you_mean(name, {all.begin(), all.end()});
    fail(given.where, fmt::format("a sweep has no column \"{}\"", name),
         near.empty() ? "`warptime list statistics` has them; issue.* is all that begin with issue." : near);
  }
  return columns;
}

std::vector<std::string> columns_of(const SweepPlan& plan, const Arguments& arguments) {
  std::vector<std::string> columns, chosen = all_columns(plan);
  if (auto given = arguments.value("columns")) chosen = chosen_columns(*given, chosen);
  for (const SweepAxis& axis : plan.axes()) columns.push_back(axis.name);
  columns.emplace_back("status");
  columns.insert(columns.end(), chosen.begin(), chosen.end());
  columns.emplace_back("sweep");
  return columns;
}

/// A number as a number, other text as text, nothing as null.
Json json_cell(const std::string& cell) {
  if (cell.empty()) return {};
  bool like_number = cell.find_first_not_of("-+.eE0123456789") == std::string::npos;
  Json value = like_number ? parse_json(cell).value_or(Json()) : Json();
  // More digits than a whole number of 64 bits has would be lost.
  bool whole = cell.find_first_of(".eE") == std::string::npos;
  return value.is_number() && whole == value.is_number_integer() ? value : Json(cell);
}

}  // namespace

SweepTable::SweepTable(const SweepPlan& plan, const Arguments& arguments)
    : PlanTable(plan, "sweep", columns_of(plan, arguments), plan.axes().size()), sweep_(plan) {}

void SweepTable::put(size_t point, const PointResult& result) {
  std::vector<std::string> cells{fmt::format("{}", result.status)};
  for (size_t i = sweep_.axes().size() + cells.size(); i + 1 < columns().size(); ++i) {
    if (columns()[i] == "launches") {
      cells.push_back(result.launches);
      continue;
    }
    auto found = result.total.find(columns()[i]);
    cells.push_back(found == result.total.end() ? "" : found->second);
  }
  PlanTable::put(point, std::move(cells));
}

std::string SweepTable::to_json(const std::string& target) const {
  Json out{{"schema", 1}, {"target", target}};
  bool one = sweep_.machines().size() == 1;  // else each row names its own
  out["machine"] = one ? Json(sweep_.machines().front().name) : Json();
  out["sweep"] = sweep_.identity();
  out["axes"] = Json::array();
  for (const SweepAxis& axis : sweep_.axes()) {
    Json values = Json::array();
    for (const std::string& value : axis.values) values.push_back(json_cell(value));
    out["axes"].push_back({{"kind", axis.option()}, {"name", axis.name}, {"values", std::move(values)}});
  }
  out["rows"] = Json::array();
  for (const auto& cells : rows()) {
    Json row;
    for (size_t i = 0; i + 1 < columns().size(); ++i) row[columns()[i]] = json_cell(cells[i]);
    out["rows"].push_back(std::move(row));
  }
  return json_text(out);
}

}  // namespace warptime::cli
