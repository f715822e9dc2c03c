// The messages of recorded faults.
#pragma once

#include <string>
#include <string_view>

#include "sim/fault.h"
#include "sim/gpu/wait_chain.h"
#include "sim/state/fault_record.h"
#include "sim/state/launch_context.h"
#include "sim/state/sm_state.h"

namespace warptime::sim {

/// "0-3, 8".
std::string lane_list(uint32_t lanes);

/// `timed`: the record's cycle is valid.
Fault describe(const FaultRecord& record, const LaunchContext& launch, bool timed);

/// The maximum number of warps that the message for a launch that cannot end lists.
inline constexpr size_t kDeadlockLines = 16;

/// The fault of a launch that exceeds --max-cycles, after so many cycles or warp instructions.
Fault over_limit(const LaunchContext& launch, uint64_t limit, std::string_view counted, std::string hint);

/// The fault of a launch whose warps repeat themselves for ever. Its place is where the chain begins.
Fault livelock(const LaunchContext& launch, const WaitChain& chain, std::string_view who_repeats, Cycle cycle,
               bool timed);

/// The fault of a launch in which no event can occur any more.
Fault deadlock(const LaunchContext& launch, const WaitChain& chain, std::string_view who_waits, Cycle cycle,
               bool timed);

/// The fault of a launch that the user interrupted, at its edge `cycle`.
Fault interrupted(const LaunchContext& launch, std::string hint, Cycle cycle, bool timed);

std::string warp_line(const SmState& state, uint32_t slot, std::string_view what, bool where);

/// Lines "block (0,0,0) warp 1: waits at barrier 0 (1 of 2 warps have arrived), PTX line 12", the first few, and the
/// number of the others.
class WarpLines {
 public:
  /// The warps of an SM. `what(slot)` says what a warp that is at no barrier does; `where`: its line is to follow.
  template <class What>
  void add(const SmState& state, What&& what, bool where = true) {
    for (uint32_t slot = 0; slot < state.warp_slots(); ++slot) {
      if (!state.warp(slot).resident) continue;
      if (++warps_ > kDeadlockLines) continue;
      bool runs = state.warp(slot).barrier == kNoBarrier;
      lines_ += warp_line(state, slot, runs ? what(slot) : std::string(), where || !runs);
    }
  }
  std::string text() const;

 private:
  std::string lines_;
  size_t warps_ = 0;
};

}  // namespace warptime::sim
