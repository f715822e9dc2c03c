// The `params` of a launch file: numbers with a default and limits that --param sets, and the expressions over them in
// all other parts of the file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/launch_file/launch_plan.h"
#include "sim/model/yaml_reader.h"

namespace warptime::host {

/// Reads `params` of the file and the settings "NAME=VALUE" into the plan. `places`: of the settings in another file;
/// empty: they are options.
void read_parameters(yaml::Node& root, const std::vector<std::string>& settings,
                     const std::vector<SettingPlace>& places, LaunchPlan& plan, Diagnostics& diagnostics);

/// Replaces the expressions in numeric fields by their values.
void compute_expressions(yaml::Node& root, const LaunchPlan& plan, Diagnostics& diagnostics);

/// Those of one part of the file, of this form.
void compute_with(yaml::Node& node, const yaml::Form& form, const LaunchPlan& plan, Diagnostics& diagnostics);

std::optional<double> find_parameter(const LaunchPlan& plan, std::string_view name);
inline bool is_parameter(const LaunchPlan& plan, std::string_view name) {
  return find_parameter(plan, name).has_value();
}

}  // namespace warptime::host
