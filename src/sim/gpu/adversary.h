// Another legal order of a functional launch for each seed: blocks in any order, in a round the SMs and an SM's warps
// in any order and for any number of instructions, and, where lanes are scheduled independently, parts of a warp one
// after the other. What a program must not rely on then changes from seed to seed; a seed gives the same run every
// time.
//
// Instructions that compute over the active lanes without a member mask (vote, shfl before PTX 6.0) expect converged
// lanes, so lanes of kernels that have them stay together.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/random.h"
#include "sim/state/launch_context.h"

namespace warptime::sim {

class Adversary {
 public:
  Adversary(uint64_t seed, const LaunchContext& launch) : random_(seed), parts_lanes_(has_member_masks(launch)) {}

  uint64_t below(uint64_t n) { return random_.below(n); }
  /// From now on warps and lanes keep their order, so that a launch which never ends is recognized.
  void rest() { rests_ = true; }
  bool rests() const { return rests_; }
  /// Before an instruction: whether lanes are to be reordered.
  bool turns_lanes() { return parts_lanes_ && !rests_ && below(kInstructionsBetweenTurns) == 0; }
  /// Instructions that a warp executes per round.
  uint32_t instructions(uint32_t most) { return rests_ ? most : 1 + static_cast<uint32_t>(below(most / 4)); }

  /// 0 to count - 1 in any order.
  std::vector<uint64_t> order(uint64_t count) {
    std::vector<uint64_t> out(count);
    for (uint64_t i = 0; i < count; ++i) {
      const uint64_t at = rests_ ? i : below(i + 1);
      out[i] = out[at];
      out[at] = i;
    }
    return out;
  }
  /// The warp slots of a mask in any order.
  size_t slots(uint64_t mask, std::array<uint8_t, 64>& out) {
    size_t count = 0;
    for (; mask != 0; mask &= mask - 1) {
      const size_t at = rests_ ? count : below(count + 1);
      out[count] = out[at];
      out[at] = static_cast<uint8_t>(std::countr_zero(mask));
      ++count;
    }
    return count;
  }

 private:
  static constexpr uint64_t kInstructionsBetweenTurns = 8;

  static bool has_member_masks(const LaunchContext& launch) {
    const auto& all = launch.kernel->kernel->instructions;
    return std::none_of(all.begin(), all.end(), [](const ptx::Instruction& i) {
      return (i.card->card->name == "vote" || i.card->card->name == "shfl") && !i.mods.has(ptx::Mod::Sync);
    });
  }

  SplitMix64 random_;
  bool parts_lanes_, rests_ = false;
};

}  // namespace warptime::sim
