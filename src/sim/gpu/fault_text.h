// The messages of recorded faults.
#pragma once

#include <string>

#include "sim/fault.h"
#include "sim/state/fault_record.h"
#include "sim/state/launch_context.h"
#include "sim/state/sm_state.h"

namespace warptime::sim {

/// `timed`: the record's cycle is valid.
Fault describe(const FaultRecord& record, const LaunchContext& launch, bool timed);

/// The maximum number of warps that the message for a launch that cannot end lists.
inline constexpr size_t kDeadlockLines = 40;

/// Lines "block (0,0,0) warp 1: waits at barrier 0 (1 of 2 warps have arrived), PTX line 12" for the warps of an SM;
/// `what(slot)` says what a warp that is at no barrier does; `where`: its line is to follow.
template <class What>
std::string describe_warps(const SmState& state, What&& what, size_t* lines_left, bool where = true);

/// The fault of a launch that exceeds --max-cycles, after so many cycles or warp instructions.
Fault over_limit(const LaunchContext& launch, uint64_t limit, std::string_view counted, std::string hint);

/// The fault of a launch whose warps repeat themselves for ever.
Fault livelock(const LaunchContext& launch, std::string who_repeats, Cycle cycle, bool timed);

/// The fault of a launch in which no event can occur any more.
Fault deadlock(const LaunchContext& launch, std::string who_waits, Cycle cycle, bool timed);

std::string warp_line(const SmState& state, uint32_t slot, std::string_view what, bool where);

template <class What>
std::string describe_warps(const SmState& state, What&& what, size_t* lines_left, bool where) {
  std::string out;
  for (uint32_t slot = 0; slot < state.warp_slots() && *lines_left > 0; ++slot) {
    if (!state.warp(slot).resident) continue;
    bool runs = state.warp(slot).barrier == kNoBarrier;
    out += warp_line(state, slot, runs ? what(slot) : std::string(), where || !runs);
    --*lines_left;
  }
  return out;
}

}  // namespace warptime::sim
