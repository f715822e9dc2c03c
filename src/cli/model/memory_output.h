// What `warptime model --memory` prints and writes as JSON: hit ratios of the memory hierarchy as distributions over
// random orders, beside the simulator's own.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "analysis/memory/memory_estimate.h"
#include "sim/model/statistics.h"

namespace warptime::cli {

/// The simulator's hit ratios by analysis::MemoryLevel; nothing: no access reached the level.
using SimulatedHits = std::array<std::optional<double>, analysis::kMemoryLevels>;
SimulatedHits simulated_hits(const sim::LaunchStatistics& launch);

/// A table of the levels, a histogram of each whose orders differ, and the lines of the PTX.
std::string memory_text(const analysis::MemoryEstimate& estimate, const std::optional<SimulatedHits>& simulated);
nlohmann::ordered_json memory_json(const analysis::MemoryEstimate& estimate,
                                   const std::optional<SimulatedHits>& simulated);

}  // namespace warptime::cli
