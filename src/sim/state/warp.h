// A resident warp and its block: values and control, no time.
#pragma once

#include <array>
#include <cstdint>

#include "sim/exec/insn.h"
#include "sim/state/cached_addresses.h"
#include "sim/state/simt_stack.h"

namespace warptime::sim {

inline constexpr uint32_t kNoBarrier = ~uint32_t{0};

/// What every issue reads comes first.
struct alignas(64) Warp {
  WarpValues values;
  uint8_t cached = 0;  // of `addresses`, those that are valid
  SimtStack stack;
  uint32_t slot_of_block = 0;  // ResidentBlock that it belongs to
  uint32_t index_in_block = 0;
  uint32_t barrier = kNoBarrier;  // where it waits
  uint32_t barrier_pc = 0;        // the instruction that its lanes came to last
  uint32_t outstanding_loads = 0;
  uint32_t outstanding_stores = 0;
  uint32_t generation = 0;  // counts warps in this slot, so that late acknowledgements find nobody
  bool resident = false;
  std::byte* shared = nullptr;  // its block's shared memory
  CachedAddresses addresses;

  /// The instruction wrote its registers.
  void forget(const Insn& insn) { cached &= static_cast<uint8_t>(~insn.overwrites); }
  /// Lanes whose guard is true, of those that are active.
  uint32_t guarded(const Insn& insn) const {
    if (insn.guard == kNoPredicate) return stack.active();
    uint32_t p = values.predicates[insn.guard];
    return stack.active() & (insn.guard_negated ? ~p : p);
  }
};

/// Who has come to a barrier since it last completed. It counts warps, as GPUs of every generation do: a warp comes
/// when all its lanes have, and counts as 32 threads. A bit for each warp slot of the SM.
struct Barrier {
  uint64_t waiting = 0;   // warps that wait
  uint32_t arrivals = 0;  // of warps, of those that wait and of those that went on
  // What the first of them came with, and all others have to:
  uint32_t expected = 0;  // threads; 0: the whole block
  BarrierKind kind =
      BarrierKind::Sync;  // of Arrive, too: a barrier may be waited at by some and only be arrived at by others
  // Of a reduction:
  uint32_t votes = 0, voters = 0;  // threads whose predicate is true, all threads
};

struct ResidentBlock {
  uint64_t index = 0;           // linear in the grid
  std::byte* shared = nullptr;  // its shared memory
  uint64_t warps = 0;           // resident warps that have not exited, a bit for each warp slot
  std::array<Barrier, kBarriers> barriers{};
  bool resident = false;
};

}  // namespace warptime::sim
