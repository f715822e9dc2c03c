// Puts a recorded fault into words.
#pragma once

#include <string>

#include "sim/core/fault_record.h"
#include "sim/core/launch_context.h"
#include "sim/core/sm_state.h"
#include "sim/fault.h"

namespace warptime::sim {

/// `timed`: the record's cycle means something.
Fault describe(const FaultRecord& record, const LaunchContext& launch, bool timed);

/// Lines "  block (0,0,0) warp 1: waits at barrier 0, PTX line 12" for the warps of an SM that will never go on;
/// `wait_key(place)` names what a warp that is at no barrier waits for.
template <class WaitKey>
std::string describe_waiting(const SmState& state, WaitKey&& wait_key, size_t* lines_left);

/// The fault of a launch in which nothing can happen any more.
Fault deadlock(const LaunchContext& launch, std::string who_waits, Cycle cycle, bool timed);

std::string warp_line(const SmState& state, uint32_t place, std::string_view waits_for);

template <class WaitKey>
std::string describe_waiting(const SmState& state, WaitKey&& wait_key, size_t* lines_left) {
  std::string out;
  for (uint32_t place = 0; place < state.warp_places() && *lines_left > 0; ++place) {
    if (!state.warp(place).resident) continue;
    out += warp_line(state, place, wait_key(place));
    --*lines_left;
  }
  return out;
}

}  // namespace warptime::sim
