// A resident warp and its block: values and control, no time.
#pragma once

#include <array>
#include <cstdint>

#include "sim/decode/compiled_kernel.h"
#include "sim/state/cached_addresses.h"
#include "sim/state/control_flow.h"

namespace warptime::sim {

class ResidentKernel;

/// Those of the `active` lanes that execute it, if its guard is true of `guarded`: all of them where the guard decides
/// where each lane goes on.
inline uint32_t executing(const Insn& insn, uint32_t active, uint32_t guarded) {
  return insn.guard_selects_path ? active : guarded;
}

/// Fields that every issue reads come first.
struct alignas(64) Warp {
  WarpValues values;
  const CodeEntry* code = nullptr;  // of its kernel, by pc
  uint8_t cached = 0;               // mask of the valid entries of `addresses`
  ControlFlow stack;
  uint32_t slot_of_block = 0;  // ResidentBlock that it belongs to
  uint32_t index_in_block = 0;
  uint32_t barrier = kNoBarrier;  // where it waits
  uint32_t barrier_pc = 0;        // the barrier instruction that its lanes reached last
  uint32_t outstanding_loads = 0;
  uint32_t outstanding_stores = 0;
  uint32_t generation = 0;  // number of the warp in this slot, so that late acknowledgements are ignored
  bool resident = false;
  const ResidentKernel* kernel = nullptr;
  std::byte* shared = nullptr;  // its block's shared memory
  std::byte* local = nullptr;   // local memory of its first thread; those of the others follow
  CachedAddresses addresses;

  /// Saves or restores what changes (base/state_archive.h). Values belong to the SM; cached addresses are found again.
  template <class Archive>
  void serialize(Archive& archive) {
    if constexpr (Archive::kRestores) cached = 0;
    archive(stack, barrier);
    archive.index(slot_of_block, archive.limits.blocks);
    archive.index(index_in_block, archive.limits.warps);
    archive.expect(barrier < kBarriers || barrier >= kWholeWarp);
    archive.index(barrier_pc, archive.limits.code);
    archive(outstanding_loads, outstanding_stores, generation, resident);
  }

  /// The instruction wrote its registers.
  void forget(const Insn& insn) { cached &= static_cast<uint8_t>(~insn.overwrites); }
  /// Lanes whose guard is true, of those that are active.
  uint32_t guarded(const Insn& insn) const {
    if (insn.guard == kNoPredicate) return stack.active();
    uint32_t p = values.predicates[insn.guard];
    return stack.active() & (insn.guard_negated ? ~p : p);
  }
};

/// The arrivals at a barrier since it last completed. It counts warps, as GPUs of every generation do: a warp arrives
/// when all its lanes have, and counts as 32 threads. Masks are of the SM's warp slots.
struct Barrier {
  uint64_t waiting = 0;   // warps that wait
  uint32_t arrivals = 0;  // of warps, waiting or not
  // The first arrival sets these, and all others must match:
  uint32_t expected = 0;  // threads; 0: the whole block
  BarrierKind kind =
      BarrierKind::Sync;  // also for Arrive: some warps may wait at a barrier at which others only arrive
  // For a reduction:
  uint32_t votes = 0, voters = 0;  // threads whose predicate is true, all threads

  template <class Archive>
  void serialize(Archive& archive) {
    archive.mask(waiting, archive.limits.warps);
    archive(arrivals, expected, kind, votes, voters);
  }
};

struct ResidentBlock {
  uint64_t index = 0;  // linear in the grid
  ResidentKernel* kernel = nullptr;
  uint32_t place = 0;  // among the blocks of its launch on the SM
  uint64_t warps = 0;  // mask of the slots of resident warps that have not exited
  std::array<Barrier, kBarriers> barriers{};
  bool resident = false;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(index);
    archive.index(place, archive.limits.blocks);
    archive.mask(warps, archive.limits.warps);
    archive(barriers, resident);
  }
};

}  // namespace warptime::sim
