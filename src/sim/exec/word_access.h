// Loads and stores of 32-bit registers by all lanes of a warp, from one range of memory: code compiled for each host
// instruction set computes and checks addresses, and copies values. Most accesses have one of two patterns, which do
// not need the address of every lane. All others (inactive lanes, other widths, an address outside) take the general
// path of memory_values.h; both give the same bytes.
#pragma once

#include "sim/exec/insn.h"

namespace warptime::sim {

enum class LanePattern : uint8_t {
  Same,         // all lanes of the half-warp at one word
  Consecutive,  // at one word each, in order
  Other,
};

/// Where the lanes of a warp access a piece of memory, as byte offsets.
struct LaneOffsets {
  alignas(64) std::array<uint32_t, kWarpSize> lanes;
  std::array<LanePattern, 2> half;

  bool follow(LanePattern pattern) const { return half[0] == pattern && half[1] == pattern; }
  bool all_same() const { return follow(LanePattern::Same) && lanes[0] == lanes[kWarpSize / 2]; }
  bool all_consecutive() const {
    return follow(LanePattern::Consecutive) && lanes[kWarpSize / 2] == lanes[0] + kWarpSize / 2 * 4;
  }
};

/// For instructions that are `is_words`, with a full mask.
struct WordAccess {
  /// Every lane's address, counted from `begin` (a multiple of 16). False: a lane is misaligned or not within [begin,
  /// begin + bytes), or these are too many bytes for offsets (2 GiB).
  bool (*locate)(const WarpValues& warp, const Insn& insn, uint64_t begin, uint64_t bytes, LaneOffsets& out) = nullptr;
  void (*load)(const WarpValues& warp, const Insn& insn, const std::byte* memory, const LaneOffsets& at) = nullptr;
  /// In lane order: where lanes write the same word, the last one's words stay.
  void (*store)(const WarpValues& warp, const Insn& insn, std::byte* memory, const LaneOffsets& at) = nullptr;
};

}  // namespace warptime::sim
