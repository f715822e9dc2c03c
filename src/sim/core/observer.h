// What an SM tells whoever watches it: one observer for each build of the SM (sm_policy.h), whose functions the SM
// calls at these events. NoObserver has none of them in the machine code: an SM that nobody watches costs nothing for
// it. An observer derives from it and replaces the functions of the events that it needs: WarpTrace writes what every
// warp does in every cycle, BlockCounter counts each block's instructions.
//
//   starts    a block's warp comes to a slot
//   waited    an instruction issues, and why it did not before
//   issued    an instruction has issued, and until when it holds the sub-core
//   arrives   the warp has arrived at a barrier
//   released  a barrier, a fence or a call of the runtime lets a warp go on
//   ends      the warp has exited
//
// `kOn`: the observer needs `waited`'s reasons and the memory queue's length (`recording`, `queue`), which cost
// something to find out.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "sim/model/stall.h"

namespace warptime::sim {

struct NoObserver {
  static constexpr bool kOn = false;
  static void starts(uint32_t, Cycle, uint64_t, uint32_t) {}
  static void waited(uint32_t, uint32_t, Cycle, Stall, Cycle, Stall, Cycle) {}
  static void issued(uint32_t, uint32_t, uint32_t, uint32_t, Cycle) {}
  static void arrives(uint32_t, uint32_t) {}
  static void released(uint32_t, uint32_t, Cycle, Stall) {}
  static void ends(uint32_t) {}
};

}  // namespace warptime::sim
