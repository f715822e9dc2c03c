#include "host/launch_file/launch_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/parse_number.h"
#include "host/launch_file/launch_form.h"
#include "host/launch_file/launch_parameters.h"

namespace warptime::host {

const std::vector<std::string>& names_of_total() {
  static const std::vector<std::string> names = [] {
    RunReport shape;
    shape.launches.emplace_back().caches.reported = sim::reported_caches([](const sim::CacheLevel&) { return true; });
    std::vector<std::string> out{"time_ns"};
    for (const auto& [name, cell] : cells_of_total(shape)) out.push_back(name);
    return out;
  }();
  return names;
}

bool is_name_of_total(std::string_view name) {
  const auto& names = names_of_total();
  return std::find(names.begin(), names.end(), name) != names.end();
}

namespace {

void check_names(const PlannedFigure& figure, const LaunchPlan& plan, Diagnostics& diagnostics) {
  std::string error;
  size_t at = 0;
  std::vector<std::string> used = names_in(figure.expression, error, at);
  if (!error.empty()) return diagnostics.error(figure.where, fmt::format("figure \"{}\": {}", figure.name, error));
  if (figure.expression.find_first_of("<>") != std::string::npos)
    return diagnostics.error(figure.where, fmt::format("figure \"{}\" is a comparison, not a number", figure.name),
                             "a row of a validation table may compare figures");
  for (const std::string& name : used) {
    std::vector<std::string_view> known;
    for (const auto& [parameter, value] : plan.parameters) known.push_back(parameter);
    for (const PlannedFigure& before : plan.figures) known.push_back(before.name);
    if (is_name_of_total(name) || std::find(known.begin(), known.end(), name) != known.end()) continue;
    known.insert(known.end(), names_of_total().begin(), names_of_total().end());
    std::string hint = did_you_mean(name, known);
    if (hint.empty()) hint = "a parameter, a figure before this one, or a number of `total` in the statistics";
    diagnostics.error(figure.where, fmt::format("figure \"{}\": there is no number \"{}\"", figure.name, name), hint);
  }
}

}  // namespace

void read_figure(const yaml::Entry& entry, LaunchPlan& plan, Diagnostics& diagnostics) {
  PlannedFigure figure{.name = entry.key, .expression = {}, .unit = {}, .what = {}, .where = entry.value.where};
  if (!is_plain_name(entry.key) || is_parameter(plan, entry.key))
    diagnostics.error(entry.where, fmt::format("\"{}\" cannot be a figure's name", entry.key),
                      is_plain_name(entry.key) ? "a parameter has it" : "letters, digits and _");
  if (entry.value.kind == yaml::Node::Kind::Map) {
    yaml::StrictMap map(entry.value, fmt::format("figure \"{}\"", entry.key), launch_forms().figure, diagnostics);
    const yaml::Node* value = map.find("value");
    bool good = map.read("value", figure.expression);
    map.read("unit", figure.unit);
    map.read("what", figure.what);
    if (!map.finish() || value == nullptr || !good) return;
    figure.where = value->where;
  } else if (!yaml::read(entry.value, entry.key, figure.expression, any(), diagnostics)) {
    return;
  }
  check_names(figure, plan, diagnostics);
  plan.figures.push_back(std::move(figure));
}

std::vector<Figure> figures_of(const LaunchPlan& plan, const RunReport& report) {
  std::map<std::string, double, std::less<>> numbers;
  if (!plan.figures.empty())
    for (const auto& [name, cell] : cells_of_total(report))
      if (double value = 0; parse_number(cell, value) == NumberError::Ok) numbers[name] = value;
  if (auto time = numbers.find("time_us"); time != numbers.end()) numbers["time_ns"] = time->second * 1000;
  for (const auto& [name, value] : plan.parameters) numbers[name] = value;
  std::vector<Figure> out;
  for (const PlannedFigure& figure : plan.figures) {
    Evaluated result = evaluate(figure.expression, [&](std::string_view name) -> std::optional<ExpressionValue> {
      auto found = numbers.find(name);
      return found == numbers.end() ? std::nullopt : std::optional<ExpressionValue>(found->second);
    });
    const double* value = std::get_if<double>(&result.value);
    if (!result.error.empty() || value == nullptr) continue;
    numbers[figure.name] = *value;
    out.push_back({figure.name, *value, figure.unit, figure.what});
  }
  return out;
}

}  // namespace warptime::host
