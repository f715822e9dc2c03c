// What `warptime model` prints and writes as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/model/modelled_launch.h"

namespace warptime::cli {

/// A line for each launch, then the terms of the longest launch of each kernel.
std::string model_text(const std::vector<ModelledLaunch>& launches);
nlohmann::ordered_json model_json(const std::vector<ModelledLaunch>& launches);
/// A line for each kernel whose launches disagree with the simulator; empty: none.
std::string disagreements(const std::vector<ModelledLaunch>& launches);

}  // namespace warptime::cli
