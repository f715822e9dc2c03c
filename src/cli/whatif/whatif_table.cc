#include "cli/whatif/whatif_table.h"

#include <nlohmann/json.hpp>

#include "base/json_value.h"
#include "base/parse_number.h"
#include "cli/output.h"

namespace warptime::cli {

using Json = nlohmann::ordered_json;

WhatIfTable::WhatIfTable(const WhatIfPlan& plan)
    : PlanTable(plan, "what-if", {"parameter", "value", "time_us", "change", "status", "whatif"}, kStatus),
      what_if_(plan) {}

double time_of(std::string_view cell) {
  double value = 0;
  parse_number(cell, value);
  return value;
}

void WhatIfTable::put(size_t point, const PointResult& result) {
  auto found = result.total.find("time_us");
  std::string time = found == result.total.end() ? "" : found->second, change;
  if (!time.empty()) change = point == 0 ? "0" : fmt::format("{:.6g}", time_of(time) / time_of(own_time_us()) - 1);
  PlanTable::put(point, {time, change, fmt::format("{}", result.status)});
}

std::vector<host::TornadoBar> WhatIfTable::bars() const {
  std::vector<host::TornadoBar> out;
  for (size_t i = 0; i < what_if_.changes().size(); ++i) {
    const WhatIfPoint& change = what_if_.changes()[i];
    const std::string& cell = rows()[i + 1][kChange];
    if (out.empty() || out.back().parameter != change.parameter)
      out.push_back({change.parameter, change.own, {}, {}, {}});
    if (!cell.empty()) out.back().add({change.value, time_of(cell)});
  }
  return out;
}

std::vector<std::string> WhatIfTable::failed() const {
  std::vector<std::string> out;
  for (size_t i = 0; i < what_if_.changes().size(); ++i)
    if (rows()[i + 1][kTime].empty()) out.push_back(what_if_.changes()[i].setting());
  return out;
}

std::string WhatIfTable::to_json(const std::string& target) const {
  auto number = [](const std::string& cell) { return parse_json(cell).value_or(Json()); };
  Json out{{"schema", 1},
           {"target", target},
           {"machine", what_if_.machine().name},
           {"time_us", number(own_time_us())},
           {"parameters", Json::array()},
           {"refused", what_if_.refused()}};
  for (size_t i = 0; i < what_if_.changes().size(); ++i) {
    const WhatIfPoint& change = what_if_.changes()[i];
    Json& parameters = out["parameters"];
    if (parameters.empty() || parameters.back()["parameter"] != change.parameter)
      parameters.push_back({{"parameter", change.parameter}, {"value", change.own}, {"values", Json::array()}});
    const std::vector<std::string>& row = rows()[i + 1];
    parameters.back()["values"].push_back({{"value", change.value},
                                           {"time_us", number(row[kTime])},
                                           {"change", number(row[kChange])},
                                           {"status", number(row[kStatus])}});
  }
  return json_text(out);
}

}  // namespace warptime::cli
