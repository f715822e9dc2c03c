// A resident warp and its block: values and control, no time.
#pragma once

#include <array>
#include <cstdint>

#include "sim/core/simt_stack.h"
#include "sim/exec/insn.h"

namespace warptime::sim {

inline constexpr uint32_t kBarriers = 16;  // of a block, PTX ISA 9.7.13.1
inline constexpr uint32_t kNoBarrier = ~uint32_t{0};

struct Warp {
  WarpValues values;
  SimtStack stack;
  uint32_t slot_of_block = 0;  // ResidentBlock that it belongs to
  uint32_t index_in_block = 0;
  uint32_t barrier = kNoBarrier;  // where it waits
  uint32_t outstanding_loads = 0;
  uint32_t outstanding_stores = 0;
  uint32_t generation = 0;  // counts warps in this place, so that late acknowledgements find nobody
  bool resident = false;

  /// Lanes whose guard is true, of those that are active.
  uint32_t guarded(const Insn& insn) const {
    if (insn.guard == kNoPredicate) return stack.active();
    uint32_t p = values.predicates[insn.guard];
    return stack.active() & (insn.guard_negated ? ~p : p);
  }
};

struct ResidentBlock {
  uint64_t index = 0;                                 // linear in the grid
  std::byte* shared = nullptr;                        // its shared memory
  uint64_t warps = 0;                                 // resident warps that have not exited, as places of the SM
  std::array<uint64_t, kBarriers> arrived{};          // warps that wait at each barrier
  std::array<uint32_t, kBarriers> arrived_threads{};  // of independently scheduled lanes: threads that do
  bool resident = false;
};

}  // namespace warptime::sim
