// Cached addresses of a warp: a fast path of loads by whole warps from shared and constant memory.
//
// A program's loads from shared memory use few registers and many offsets: the 32 of an iteration of matmul:unrolled
// use two. For such a register the warp caches the addresses of its lanes (each half-warp at one word, or at
// consecutive words) until an instruction writes the register; the decoder marks these instructions
// (LoadStorePayload::cached_address, Insn::overwrites). A load with this register then reads no lane's address, checks
// the bounds once, and needs no search for bank conflicts.
//
// It saves 19 % of the host's instructions in matmul:unrolled (n = 128: 644 instead of 793 per warp instruction).
//
// Plain path: WordAccess::locate, which reads all lanes, and after it the general path, lane by lane.
// load_store_words_test.cc compares the three on random instructions.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "sim/exec/insn.h"
#include "sim/exec/word_access.h"

namespace warptime::sim {

/// The addresses of a warp's lanes in an address register: each half-warp at one word, or at consecutive words.
struct alignas(32) CachedAddress {
  std::byte* shared;                // Warp::shared, for loads that read nothing else of the warp
  uint64_t lowest;                  // address of all lanes
  uint32_t bytes;                   // from there to the end of the highest word
  std::array<uint32_t, 2> half_at;  // offset of each half-warp from there
  std::array<LanePattern, 2> half;
  bool conflict_free;  // no bank conflict

  static bool can_hold(const LaneOffsets& at) {
    return at.half[0] != LanePattern::Other && at.half[1] != LanePattern::Other;
  }
  /// The addresses `at` in the register of `insn`.
  static CachedAddress of(const Insn& insn, std::byte* shared, const LaneOffsets& at, bool conflict_free) {
    auto end_of = [&](size_t which) {
      return at.lanes[which * kWarpSize / 2] + (at.half[which] == LanePattern::Consecutive ? kWarpSize / 2 * 4 : 4);
    };
    uint32_t first = at.lanes[0], second = at.lanes[kWarpSize / 2], lowest = std::min(first, second);
    return {shared,
            lowest - static_cast<uint64_t>(insn.access().address.offset),
            std::max(end_of(0), end_of(1)) - lowest,
            {first - lowest, second - lowest},
            at.half,
            conflict_free};
  }
  /// The addresses for `insn`: of `at.lanes`, only the first of each half-warp is set. False: not all lanes are in [0,
  /// limit).
  bool locate(const Insn& insn, uint64_t limit, LaneOffsets& at) const {
    const AddressOperand& address = insn.access().address;
    uint64_t begin = lowest + static_cast<uint64_t>(address.offset);
    if (!address.is_64) begin = static_cast<uint32_t>(begin);
    if (begin >= limit || begin + bytes > limit || begin % 4 != 0) return false;
    at.lanes[0] = static_cast<uint32_t>(begin) + half_at[0];
    at.lanes[kWarpSize / 2] = static_cast<uint32_t>(begin) + half_at[1];
    at.half = half;
    return true;
  }
};

/// A warp's cached addresses, by LoadStorePayload::cached_address. Their valid bits are kept elsewhere, in the cache
/// line that every issue reads.
class CachedAddresses {
 public:
  /// nullptr: the address of `insn` is not cached.
  const CachedAddress* find(const Insn& insn, uint8_t valid) const {
    const uint8_t of = insn.load_store().cached_address;
    return of == kNotCached || ((valid >> of) & 1) == 0 ? nullptr : &addresses_[of];
  }
  void put(const Insn& insn, const CachedAddress& address, uint8_t& valid) {
    const uint8_t of = insn.load_store().cached_address;
    addresses_[of] = address;
    valid |= static_cast<uint8_t>(1u << of);
  }

 private:
  std::array<CachedAddress, kCachedAddresses> addresses_;
};

}  // namespace warptime::sim
