// Accesses to memory as the page reads them (sim/model/access_log.h): sampled accesses with their transactions and
// conflicts, buffers and banks over time, partitions over time; requests and SIMT stacks for the view of the warps.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/model/access_log.h"
#include "sim/model/machine.h"
#include "sim/model/statistics.h"

namespace warptime::report {

inline constexpr size_t kMostSamples = 3'000;

/// `samples` in the order of SMs, the traced one first; `addresses` of the lanes in `lanes`, lowest first. `ideal` is
/// the fewest transactions for the bytes of these lanes, `degree` the conflict degree in shared or constant memory.
nlohmann::ordered_json memory_json(const sim::AccessLog& log, uint32_t traced_sm, const sim::LaunchStatistics& launch,
                                   const sim::MachineConfig& machine, std::vector<std::string>& notes);

/// `requests` and `stacks`, by the numbers of the trace's warps (`number` in its `warps`), and `units` by instruction.
nlohmann::ordered_json requests_json(const sim::AccessLog& log);
nlohmann::ordered_json stacks_json(const sim::AccessLog& log);
nlohmann::ordered_json units_json(const sim::AccessLog& log);

}  // namespace warptime::report
