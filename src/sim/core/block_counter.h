// A trace policy (model/trace.h) that counts how many instructions each block executes, for sampled runs that have no
// functional pass to say so. A block runs on one SM, so SMs may share the table.
#pragma once

#include <array>
#include <cstdint>

#include "sim/model/trace.h"

namespace warptime::sim {

class BlockCounter : public NoTrace {
 public:
  /// `instructions`: by linear index in the grid.
  void count_into(uint64_t* instructions) { instructions_ = instructions; }

  void starts(uint32_t place, Cycle, uint64_t block, uint32_t) { places_[place] = {block, 0}; }
  void issued(uint32_t place, uint32_t, uint32_t, uint32_t, Cycle) { ++places_[place].count; }
  void ends(uint32_t place) { instructions_[places_[place].block] += places_[place].count; }

 private:
  struct Place {
    uint64_t block = 0;
    uint64_t count = 0;
  };
  uint64_t* instructions_ = nullptr;
  std::array<Place, WarpTrace::kMaxPlaces> places_{};
};

}  // namespace warptime::sim
