// Member masks of .sync instructions (PTX ISA 9.7.9.6, 9.7.13.2, 9.7.13.9 to 15): each executing lane names the lanes
// that take part with it. Lanes with different masks may execute one instruction together, as the tiles of a warp do;
// each computes with the lanes that have the same mask.
#pragma once

#include "sim/exec/lanes_of_mask.h"

namespace warptime::sim {

/// Which of `lanes` have this mask. `masks` is the row of the instruction's mask operand.
inline uint32_t lanes_with_mask(const std::byte* masks, uint32_t lanes, uint32_t mask) {
  uint32_t difference = 0;  // of all lanes at once, without a branch: nearly always there is none
  for (uint32_t lane = 0; lane < kWarpSize; ++lane) difference |= lane_of<uint32_t>(masks, lane) ^ mask;
  if (difference == 0) return lanes;
  uint32_t same = 0;
  for_lanes_of(lanes, [&](uint32_t lane) { same |= uint32_t{lane_of<uint32_t>(masks, lane) == mask} << lane; });
  return same;
}

/// Calls f(mask, group) for each mask that some of `lanes` have at the instruction; f may write what lanes of its group
/// have there.
template <class F>
inline void for_member_groups(const WarpValues& warp, const Insn& insn, uint32_t lanes, const F& f) {
  const RowRef row = insn.member_mask().mask;
  const std::byte* masks = row.in(warp);
  if (row.area() == RowArea::Launch) return f(lane_of<uint32_t>(masks, 0), lanes);  // a constant
  while (lanes != 0) {
    auto mask = lane_of<uint32_t>(masks, static_cast<uint32_t>(std::countr_zero(lanes)));
    uint32_t group = lanes_with_mask(masks, lanes, mask);
    f(mask, group);
    lanes &= ~group;
  }
}

}  // namespace warptime::sim
