// Which of the warps that may issue does: the policies of `issue.policy`. State is two numbers; a pick costs a few
// instructions.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "sim/model/machine.h"

namespace warptime::sim {

class WarpPicker {
 public:
  explicit WarpPicker(WarpPolicy policy) : policy_(policy) {}

  /// A warp begins; later ones are younger.
  void started(uint32_t warp) { age_[warp] = next_age_++; }

  /// One of the warps in `eligible` (not empty); it is remembered as the last to issue.
  uint32_t pick(uint64_t eligible) {
    switch (policy_) {
      case WarpPolicy::round_robin: last_ = after_last(eligible); break;
      case WarpPolicy::greedy_then_oldest:
        if (((eligible >> last_) & 1) == 0) last_ = oldest(eligible);
        break;
      case WarpPolicy::oldest_first: last_ = oldest(eligible); break;
    }
    return last_;
  }

 private:
  uint32_t after_last(uint64_t eligible) const {
    // Bits last_ + 1 .. 63 first, then from 0.
    uint64_t later = last_ == 63 ? 0 : eligible & (~uint64_t{0} << (last_ + 1));
    return static_cast<uint32_t>(std::countr_zero(later != 0 ? later : eligible));
  }
  uint32_t oldest(uint64_t eligible) const {
    auto best = static_cast<uint32_t>(std::countr_zero(eligible));
    for (uint64_t rest = eligible & (eligible - 1); rest != 0; rest &= rest - 1) {
      auto warp = static_cast<uint32_t>(std::countr_zero(rest));
      if (age_[warp] < age_[best]) best = warp;
    }
    return best;
  }

  WarpPolicy policy_;
  uint32_t last_ = 63;  // so that warp 0 is the first
  uint64_t next_age_ = 0;
  std::array<uint64_t, 64> age_{};
};

}  // namespace warptime::sim
