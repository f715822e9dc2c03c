// A trace as the page reads it: the states of each warp as lists of numbers, in order and without gaps. At most a given
// number of states is kept, those that begin first.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/model/statistics.h"
#include "sim/model/trace.h"

namespace warptime::report {

inline constexpr size_t kMostStates = 1'000'000;

/// Indices in `states`; from kFirstReason on the stall reasons follow in the order of their table.
inline constexpr int kIssueState = 0, kReadyState = 1, kFirstReason = 2;
nlohmann::ordered_json state_names();

/// `launch`: the one that was recorded. `notes`: receives a sentence if states are left out.
///
/// `from` and `to` are those of the states, `recorded` those of the window: between `to` and its end the SM has no
/// warp. In `warps`, by slot and time: `number` (in the log), `slot`, `block`, `index` (in the block), `begin`, `end`
/// (null: it was still running), `first` (cycle of the first state), and by state: `length` in cycles, `state` (index
/// in `states`; -1 for a gap), `pc` (row of the kernel). By issue: `mask` (index in `masks`) and `lanes` (those whose
/// guard was true).
nlohmann::ordered_json trace_json(const sim::TraceLog& log, const sim::LaunchStatistics& launch, size_t most_states,
                                  std::vector<std::string>& notes);

}  // namespace warptime::report
