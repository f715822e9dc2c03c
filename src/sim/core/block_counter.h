// An observer (observer.h) that counts the instructions that each block executes, for sampled runs without a functional
// pass. A block runs on one SM, so SMs may share the table.
#pragma once

#include <array>
#include <cstdint>

#include "sim/core/observer.h"
#include "sim/core/ready_set.h"

namespace warptime::sim {

class BlockCounter : public NoObserver {
 public:
  /// `instructions`: by linear index in the grid.
  void count_into(uint64_t* instructions) { instructions_ = instructions; }

  void starts(uint32_t slot, Cycle, uint64_t block, uint32_t) { warps_[slot] = {block, 0}; }
  void issued(uint32_t slot, uint32_t, uint32_t, uint32_t, Cycle) { ++warps_[slot].count; }
  void ends(uint32_t slot) { instructions_[warps_[slot].block] += warps_[slot].count; }

 private:
  struct CountedWarp {
    uint64_t block = 0;
    uint64_t count = 0;
  };
  uint64_t* instructions_ = nullptr;
  std::array<CountedWarp, ReadySet::kMaxWarps> warps_{};
};

}  // namespace warptime::sim
