#include "host/launch_file/launch_parameters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/parse_number.h"
#include "host/launch_file/launch_form.h"
#include "host/launch_file/launch_loop.h"

namespace warptime::host {

using yaml::Entry;
using yaml::Node;

namespace {

ExpressionNames parameter_values(const LaunchPlan& plan) {
  return [&plan](std::string_view name) -> std::optional<ExpressionValue> {
    if (auto value = find_parameter(plan, name)) return *value;
    return std::nullopt;
  };
}

std::vector<std::string_view> parameter_names(const LaunchPlan& plan) {
  std::vector<std::string_view> names;
  for (const auto& [name, value] : plan.parameters) names.push_back(name);
  return names;
}

class ParameterReader {
 public:
  ParameterReader(const std::vector<std::string>& settings, const std::vector<SettingPlace>& places, LaunchPlan& plan,
                  Diagnostics& diagnostics)
      : plan_(plan), diagnostics_(diagnostics) {
    for (size_t i = 0; i < settings.size(); ++i) add_setting(settings[i], i < places.size() ? &places[i] : nullptr);
  }

  void read(Node* params) {
    if (params != nullptr && params->kind != Node::Kind::Map && params->kind != Node::Kind::Null)
      diagnostics_.error(params->where, fmt::format("\"params\" must be a map, not {}", yaml::describe(*params)));
    if (params != nullptr)
      for (Entry& entry : params->entries) read_one(entry);
    for (const Setting& setting : settings_) refuse_unknown(setting);
  }

 private:
  struct Setting {
    std::string name;
    SourceSpan name_where, where;
    double value = 0;
    bool good = false, used = false;
  };

  void add_setting(const std::string& text, const SettingPlace* place) {
    auto source = std::make_shared<SourceText>("--param", text);
    plan_.sources.push_back(source);
    const auto equals = static_cast<uint32_t>(std::min(text.find('='), text.size()));
    const auto size = static_cast<uint32_t>(text.size());
    if (equals == 0 || equals == size)
      return diagnostics_.error(place != nullptr ? place->name : SourceSpan{source.get(), 0, size},
                                "this is not NAME=VALUE", "for example n=1024");
    Setting setting{.name = text.substr(0, equals),
                    .name_where = {source.get(), 0, equals},
                    .where = {source.get(), equals + 1, size - equals - 1}};
    if (place != nullptr) setting.name_where = place->name, setting.where = place->value;
    const std::string value = text.substr(equals + 1);
    setting.good = parse_number(value, setting.value) == NumberError::Ok;
    if (!setting.good)
      diagnostics_.error(setting.where, fmt::format("\"{}\" must be a number, not \"{}\"", setting.name, value));
    settings_.push_back(std::move(setting));
  }

  void read_one(Entry& entry) {
    if (!is_plain_name(entry.key))
      diagnostics_.error(entry.where, fmt::format("\"{}\" cannot be a parameter's name", entry.key),
                         "letters, digits and _, so that expressions can name it");
    // Defaults and limits may use the parameters before this one.
    yaml::compute(entry.value, launch_forms().parameter, parameter_values(plan_), parameter_names(plan_), diagnostics_);
    yaml::StrictMap map(entry.value, fmt::format("parameter \"{}\"", entry.key), launch_forms().parameter,
                        diagnostics_);
    double value = 0, low = -HUGE_VAL, high = HUGE_VAL;
    std::string help;
    const Node* standard = map.find("default");
    const bool good = map.read("default", value) && map.read("min", low) && map.read("max", high);
    map.find("min");
    map.find("max");
    map.read("help", help);
    if (!map.finish() || standard == nullptr || !good) value = 1;  // so that expressions find the name
    else check(entry.key, value, low, high, standard->where);
    for (Setting& setting : settings_) {
      if (setting.name != entry.key) continue;
      setting.used = true;
      if (setting.good && good) check(entry.key, setting.value, low, high, setting.where, help);
      if (setting.good) value = setting.value;
    }
    plan_.parameters.emplace_back(entry.key, value);
  }

  void check(const std::string& name, double value, double low, double high, SourceSpan where,
             const std::string& help = {}) {
    if (value >= low && value <= high) return;
    std::string legal = high == HUGE_VAL   ? fmt::format("at least {}", plain_number(low))
                        : low == -HUGE_VAL ? fmt::format("at most {}", plain_number(high))
                                           : fmt::format("{} to {}", plain_number(low), plain_number(high));
    diagnostics_.error(where, fmt::format("\"{}\" must be {}, not {}", name, legal, plain_number(value)),
                       help.empty() ? std::string() : fmt::format("it is: {}", help));
  }

  void refuse_unknown(const Setting& setting) {
    if (setting.used) return;
    std::vector<std::string_view> known = parameter_names(plan_);
    std::string hint = did_you_mean(setting.name, known);
    if (hint.empty())
      hint = known.empty() ? "its file has no \"params\"" : fmt::format("available: {}", fmt::join(known, ", "));
    diagnostics_.error(setting.name_where, fmt::format("the launch file has no parameter \"{}\"", setting.name), hint);
  }

  LaunchPlan& plan_;
  Diagnostics& diagnostics_;
  std::vector<Setting> settings_;
};

}  // namespace

std::optional<double> find_parameter(const LaunchPlan& plan, std::string_view name) {
  for (const auto& [known, value] : plan.parameters)
    if (known == name) return value;
  return std::nullopt;
}

void read_parameters(Node& root, const std::vector<std::string>& settings, const std::vector<SettingPlace>& places,
                     LaunchPlan& plan, Diagnostics& diagnostics) {
  Node* params = nullptr;
  for (Entry& entry : root.entries)
    if (entry.key == "params") params = &entry.value;
  ParameterReader(settings, places, plan, diagnostics).read(params);
}

void compute_expressions(Node& root, const LaunchPlan& plan, Diagnostics& diagnostics) {
  // `params` is computed: each of its entries when its turn came.
  for (Entry& entry : root.entries) {
    const yaml::Field* field = yaml::field_of(launch_forms().file, entry.key);
    if (entry.key == "launches") compute_steps(entry.value, plan, diagnostics);
    else if (field != nullptr && entry.key != "params") compute_with(entry.value, *field->form, plan, diagnostics);
  }
}

void compute_with(Node& node, const yaml::Form& form, const LaunchPlan& plan, Diagnostics& diagnostics) {
  yaml::compute(node, form, parameter_values(plan), parameter_names(plan), diagnostics);
}

}  // namespace warptime::host
