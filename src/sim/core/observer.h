// The events of an SM for an observer. Each instantiation of the SM (sm_policy.h) has one observer, whose functions it
// calls at these events. The functions of NoObserver are empty, so an SM without an observer has no cost. An observer
// derives from it and replaces the functions of the events that it needs: WarpTrace records the state of every warp in
// every cycle, BlockCounter counts each block's instructions.
//
//   starts    a warp of a new block occupies a slot
//   waited    an instruction issues, and the reasons for which it did not issue earlier
//   issues    an instruction is about to execute; what its warp waited for since its last one
//   accesses  a load, store or atomic operation is about to execute; the lanes' addresses, in its space
//   sent      its transactions, or the lines that no cache of the SM or TPC has, are on their way; `load` is the SM's
//             number of the result that waits for them (PendingAtomic::kNoLoad: a store)
//   answered  one of them, of a load, has arrived
//   issued    an instruction has issued, and until when it occupies the sub-core
//   prepared  the warp's stack is that of its next instruction
//   arrives   the warp has arrived at a barrier
//   released  a warp continues after a barrier, a fence or a call of the runtime
//   visible   the acknowledgement of a store's or atomic operation's transaction reaches the SM; its bytes have been in
//             device memory since an earlier window edge (mem/partition_stores.cc), and the slot may have a new warp
//   ends      the warp has exited
//   faults    the SM stops; the accesses of the instruction have been observed, perhaps also its issue
//
// Events whose data must be computed have a switch: `kProbes` for `issues`, `kOn` for `waited` and the memory queue's
// length (`recording`, `queue`, `prepared`), `kAddresses` for `accesses`, which wants_addresses() may switch off for
// one SM.
#pragma once

#include <array>
#include <cstdint>

#include "base/clock.h"
#include "sim/exec/insn.h"
#include "sim/mem/request.h"
#include "sim/model/stall.h"
#include "sim/state/control_flow.h"
#include "sim/state/fault_record.h"
#include "sim/state/load_store.h"

namespace warptime::sim {

struct NoObserver {
  static constexpr bool kOn = false;
  static constexpr bool kAddresses = false;
  static constexpr bool kProbes = false;
  static void starts(uint32_t /*slot*/, Cycle, uint64_t /*block*/, uint32_t /*index_in_block*/) {}
  /// It waited first for `reason` (until `able`), then for its busy pipe `busy` (until `free`), then because other
  /// warps issued.
  static void waited(uint32_t /*slot*/, uint32_t /*pc*/, Cycle /*able*/, Stall /*reason*/, Cycle /*free*/,
                     Stall /*busy*/, Cycle /*now*/) {}
  static void issues(uint32_t /*slot*/, uint32_t /*pc*/, uint32_t /*active*/, uint32_t /*lanes*/, Stall /*reason*/,
                     Cycle /*waited*/, Cycle) {}
  static void accesses(uint32_t /*slot*/, uint32_t /*pc*/, const Insn&, uint32_t /*lanes*/,
                       const std::array<Addr, kWarpSize>&, Cycle) {}
  static constexpr bool wants_addresses() { return true; }
  static void sent(uint32_t /*slot*/, uint32_t /*pc*/, const Insn&, const MemoryAccess&, uint32_t /*load*/, Cycle) {}
  static void answered(uint32_t /*load*/, Cycle) {}
  static void prepared(uint32_t /*slot*/, const ControlFlow&) {}
  static void issued(uint32_t /*slot*/, uint32_t /*pc*/, uint32_t /*active*/, uint32_t /*lanes*/, Cycle /*until*/) {}
  static void arrives(uint32_t /*slot*/, uint32_t /*barrier*/) {}
  /// The warp continues at `pc`.
  static void released(uint32_t /*slot*/, uint32_t /*pc*/, Cycle, Stall /*reason*/) {}
  /// The warp that stored may have exited.
  static void visible(uint32_t /*slot*/, const PendingStore&, Cycle) {}
  static void ends(uint32_t /*slot*/) {}
  static void faults(const FaultRecord&) {}
};

}  // namespace warptime::sim
