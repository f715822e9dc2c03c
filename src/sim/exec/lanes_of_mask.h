// Access to registers lane by lane, for instructions without vector lane code.
#pragma once

#include <bit>
#include <cstring>

#include "sim/exec/insn.h"

namespace warptime::sim {

/// Calls f(lane) for each lane of the mask, in lane order.
template <class F>
inline void for_lanes_of(uint32_t mask, F&& f) {
  if (mask == kFullMask) {
    for (uint32_t lane = 0; lane < kWarpSize; ++lane) f(lane);
  } else {
    for (; mask != 0; mask &= mask - 1) f(static_cast<uint32_t>(std::countr_zero(mask)));
  }
}

template <class T>
inline T lane_of(const std::byte* row, uint32_t lane) {
  T value;
  std::memcpy(&value, row + lane * sizeof(T), sizeof(T));
  return value;
}
template <class T>
inline void set_lane(std::byte* row, uint32_t lane, T value) {
  std::memcpy(row + lane * sizeof(T), &value, sizeof(T));
}

}  // namespace warptime::sim
