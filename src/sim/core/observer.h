// What an SM tells whoever watches it: one observer for each build of the SM (sm_policy.h), whose functions the SM
// calls at these events. NoObserver has none of them in the machine code: an SM that nobody watches costs nothing for
// it. An observer derives from it and replaces the functions of the events that it needs: WarpTrace writes what every
// warp does in every cycle, BlockCounter counts each block's instructions.
//
//   starts    a block's warp comes to a slot
//   waited    an instruction issues, and why it did not before
//   accesses  a load, store or atomic operation is about to execute; the lanes' addresses, in its space
//   issued    an instruction has issued, and until when it holds the sub-core
//   arrives   the warp has arrived at a barrier
//   released  a barrier, a fence or a call of the runtime lets a warp go on
//   visible   a transaction of a store or an atomic operation is acknowledged: its bytes are in device memory
//   ends      the warp has exited
//   faults    the SM stops; accesses of the instruction have been observed, perhaps its issue
//
// Events that cost something to find out have a switch: `kOn` for `waited` and the memory queue's length (`recording`,
// `queue`), `kAddresses` for `accesses`.
#pragma once

#include <array>
#include <cstdint>

#include "base/clock.h"
#include "sim/exec/insn.h"
#include "sim/mem/request.h"
#include "sim/model/stall.h"
#include "sim/state/fault_record.h"

namespace warptime::sim {

struct NoObserver {
  static constexpr bool kOn = false;
  static constexpr bool kAddresses = false;
  static void starts(uint32_t /*slot*/, Cycle, uint64_t /*block*/, uint32_t /*index_in_block*/) {}
  /// First for `reason` (until `able`), then because its pipe was `busy` (until `free`), then because others went
  /// first.
  static void waited(uint32_t /*slot*/, uint32_t /*pc*/, Cycle /*able*/, Stall /*reason*/, Cycle /*free*/,
                     Stall /*busy*/, Cycle /*now*/) {}
  static void accesses(uint32_t /*slot*/, uint32_t /*pc*/, const Insn&, uint32_t /*lanes*/,
                       const std::array<Addr, kWarpSize>&, Cycle) {}
  static void issued(uint32_t /*slot*/, uint32_t /*pc*/, uint32_t /*active*/, uint32_t /*lanes*/, Cycle /*until*/) {}
  static void arrives(uint32_t /*slot*/, uint32_t /*barrier*/) {}
  /// On to `pc`.
  static void released(uint32_t /*slot*/, uint32_t /*pc*/, Cycle, Stall /*reason*/) {}
  /// The warp that stored may have left the slot.
  static void visible(uint32_t /*slot*/, const PendingStore&, Cycle) {}
  static void ends(uint32_t /*slot*/) {}
  static void faults(const FaultRecord&) {}
};

}  // namespace warptime::sim
