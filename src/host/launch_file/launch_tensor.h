// Tensor maps as arguments in launch files.
#pragma once

#include <functional>
#include <optional>

#include "host/launch_file/launch_plan.h"
#include "sim/model/yaml_reader.h"

namespace warptime::host {

/// A tensor map but for its address; nullopt after a diagnostic. `buffer_named` finds its buffer by the node of its
/// name; nullptr after a diagnostic.
std::optional<sim::TensorMap> read_tensor_map(
    const yaml::Node& node, Diagnostics& diagnostics,
    const std::function<const TypedData*(const yaml::Node& name)>& buffer_named);

}  // namespace warptime::host
