// The loops of a launch file: their conditions, and their steps, whose expressions may use the number of the round.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "host/launch_file/launch_plan.h"
#include "sim/model/yaml_reader.h"

namespace warptime::host {

/// Replaces the expressions of steps by their values. The steps of a loop with an index stay as they are: they are
/// computed for each round, with the index among the plan's parameters.
void compute_steps(yaml::Node& steps, const LaunchPlan& plan, Diagnostics& diagnostics);

/// Whether a loop may have this index, at `node`; an error otherwise.
bool check_index(const yaml::Node& node, const std::string& index, uint32_t repeat, const LaunchPlan& plan,
                 Diagnostics& diagnostics);

/// The condition of a loop, and its rounds at most. `buffer`: reads a buffer's name. nullopt after an error.
std::optional<PlannedUntil> read_until(const yaml::Node& node, const LaunchPlan& plan,
                                       const std::function<std::optional<size_t>(const yaml::Node&)>& buffer,
                                       uint32_t& at_most, Diagnostics& diagnostics);

}  // namespace warptime::host
