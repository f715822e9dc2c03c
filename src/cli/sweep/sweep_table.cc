#include "cli/sweep/sweep_table.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/output.h"

namespace warptime::cli {

using Json = nlohmann::ordered_json;

namespace {

/// A report with every number that a point's may have: only caches are there on some machines and not on others.
host::RunReport shape_of(const SweepPlan& plan) {
  auto may_be_there = [&](const sim::CacheLevel& level) {
    return level.of(plan.machine().config).bytes != 0 ||
           std::any_of(plan.axes().begin(), plan.axes().end(), [&](const SweepAxis& axis) {
             return axis.name == fmt::format("{}.bytes", level.path) && axis.values != std::vector<std::string>{"0"};
           });
  };
  host::RunReport shape;
  shape.launches.emplace_back().caches.reported = sim::reported_caches(may_be_there);
  return shape;
}

std::vector<std::string> columns_of(const SweepPlan& plan) {
  std::vector<std::string> columns;
  for (const SweepAxis& axis : plan.axes()) columns.push_back(axis.name);
  columns.insert(columns.end(), {"status", "launches"});
  for (const auto& [name, cell] : numbers_of_total(shape_of(plan))) columns.push_back(name);
  for (const std::string& name : plan.figure_names())
    if (std::find(columns.begin(), columns.end(), name) == columns.end()) columns.push_back(name);
  columns.emplace_back("sweep");
  return columns;
}

}  // namespace

SweepTable::SweepTable(const SweepPlan& plan) : PlanTable(plan, "sweep", columns_of(plan)), sweep_(plan) {}

void SweepTable::append(const PointResult& result) {
  std::vector<std::string> cells{fmt::format("{}", result.status), result.launches};
  for (size_t i = sweep_.axes().size() + cells.size(); i + 1 < columns().size(); ++i) {
    auto found = result.total.find(columns()[i]);
    cells.push_back(found == result.total.end() ? "" : found->second);
  }
  PlanTable::append(std::move(cells));
}

std::string SweepTable::to_json(const std::string& target) const {
  Json out{{"schema", 1}, {"target", target}, {"machine", sweep_.machine().name}, {"sweep", sweep_.identity()}};
  out["axes"] = Json::array();
  for (const SweepAxis& axis : sweep_.axes())
    out["axes"].push_back(
        {{"kind", axis.kind == SweepAxis::Kind::Set ? "set" : "param"}, {"name", axis.name}, {"values", axis.values}});
  out["rows"] = Json::array();
  for (const auto& cells : rows()) {
    Json row;
    for (size_t i = 0; i + 1 < columns().size(); ++i) {
      // Values of axes stay text, as they were given; the rest are numbers.
      if (i < sweep_.axes().size()) row[columns()[i]] = cells[i];
      else row[columns()[i]] = cells[i].empty() ? Json() : Json::parse(cells[i], nullptr, false);
    }
    out["rows"].push_back(std::move(row));
  }
  return json_text(out);
}

}  // namespace warptime::cli
