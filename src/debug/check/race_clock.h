// Which accesses of others a warp knows to be over. Each block has a clock that advances at every synchronisation; an
// access carries its time. A warp knows the other warps of its block up to a time for each, and those of other blocks
// as far as fences and strong accesses order them before it. Of mbarrier objects it knows which phases are over.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/exec/warp_values.h"

namespace warptime::debug {

/// The number of an mbarrier object, by its address in shared memory.
constexpr uint32_t mbarrier_number(uint32_t address) { return address / 8; }
constexpr uint32_t mbarrier_address(uint32_t number) { return number * 8; }

/// Up to which time warps are known, sorted by warp; and up to which phase mbarrier objects, as if they were warps from
/// kObjects on whose time is the number of phases that are over.
class Clock {
 public:
  static constexpr size_t kMost = 1 << 16;                  // warps; with more, it counts as knowing everything
  static constexpr uint32_t kObjects = 64, kWarpBits = 20;  // of the objects in 1 MiB

  static uint64_t key(uint32_t block, uint32_t warp) { return uint64_t{block} << kWarpBits | warp; }

  bool empty() const { return times_.empty() && !everything_; }
  bool knows_everything() const { return everything_; }
  uint32_t time_of(uint32_t block, uint32_t warp) const;
  void set(uint32_t block, uint32_t warp, uint32_t time);
  void join(const Clock& other);
  void clear() { *this = {}; }
  /// Calls f(block, warp, time).
  template <class F>
  void for_each(const F& f) const {
    for (auto [warp, time] : times_) {
      const auto in_block = static_cast<uint32_t>(warp & ((uint64_t{1} << kWarpBits) - 1));
      f(static_cast<uint32_t>(warp >> kWarpBits), in_block, time);
    }
  }

 private:
  using Times = std::vector<std::pair<uint64_t, uint32_t>>;
  Times times_;
  bool everything_ = false;
};

/// What fences and strong accesses of a warp have to do with.
struct FenceClocks {
  Clock foreign;                        // what it knows of other blocks, and of mbarrier objects
  Clock release_device, release_block;  // what it hands over with a strong write: what a fence has made visible
  Clock pending_device, pending_block;  // what strong reads have seen, until a fence makes it known

  /// Through a barrier a warp knows what another one knew that came to it, and may hand over what that had fenced.
  void join(const FenceClocks& other);
};

/// Synchronisation of the lanes of a warp by bar.warp.sync and by barriers.
struct LaneClocks {
  uint32_t all = 0;                // accesses before this time are known to every lane
  std::vector<uint32_t> of_lanes;  // [lane][other lane]; empty: nothing besides
  struct Group {
    uint32_t mask, arrived;
  };
  std::vector<Group> waiting;  // at bar.warp.sync

  bool knows(uint32_t lane, uint32_t other, uint32_t time) const {
    if (lane == other || time < all) return true;
    return !of_lanes.empty() && time < of_lanes[lane * sim::kWarpSize + other];
  }
  /// The lanes of `group` are at bar.warp.sync with this mask, whose lanes continue when all of them that are live have
  /// come: then the time advances.
  void arrive(uint32_t mask, uint32_t group, uint32_t live, uint32_t& time);
  /// The lanes of a mask have waited for each other until `now`.
  void meet(uint32_t mask, uint32_t now);
  void learn(uint32_t lanes, uint32_t time);
};

/// A resident block.
class BlockClock {
 public:
  void start(uint32_t block, uint32_t warps, bool independent_lanes);

  uint32_t block = 0;
  uint32_t time = 1;
  uint32_t all_known = 0;  // accesses before this time are known to every warp of the block
  uint32_t warps = 0;

  uint32_t known(uint32_t warp, uint32_t other) const {
    return known_.empty() ? all_known : std::max(all_known, known_[warp * warps + other]);
  }
  /// Whether only barriers of all warps have synchronised it.
  bool is_plain() const { return known_.empty() && fences_.empty(); }
  /// The warp arrives at a barrier.
  void arrive(uint32_t barrier, uint32_t warp);
  /// All warps of the block have waited for each other at a barrier.
  void release_all(uint32_t barrier);
  /// Warps (a mask within the block) continue after a barrier.
  void release(uint32_t barrier, uint64_t released);

  LaneClocks& lanes(uint32_t warp) { return lanes_[warp]; }
  const LaneClocks& lanes(uint32_t warp) const { return lanes_[warp]; }
  bool has_fences() const { return !fences_.empty(); }
  const FenceClocks& fences(uint32_t warp) const { return fences_[warp]; }
  FenceClocks& fences_of(uint32_t warp) {
    if (fences_.empty()) fences_.resize(warps);
    return fences_[warp];
  }
  /// `lanes` of the warp execute a fence.
  void fence(uint32_t warp, uint32_t lanes, bool on_device);
  /// They learn what a clock knows.
  void learn(uint32_t warp, uint32_t lanes, const Clock& clock);
  /// The warp learns that so many phases of an mbarrier object are over.
  void see(uint32_t warp, uint32_t object, uint32_t phases) {
    fences_of(warp).foreign.set(block, Clock::kObjects + object, phases);
  }
  /// Whether it knows that this phase is over; the first is 1.
  bool has_seen(uint32_t warp, uint32_t object, uint32_t phase) const {
    return has_fences() && fences(warp).foreign.time_of(block, Clock::kObjects + object) >= phase;
  }

 private:
  struct Arrivals {
    std::vector<uint32_t> known;  // by warp
    FenceClocks fences;           // of all
  };
  std::vector<uint32_t>& known_rows();

  std::vector<uint32_t> known_;  // [warp][other warp]; empty: all_known is all
  std::array<Arrivals, 16> arrivals_;
  std::vector<LaneClocks> lanes_;    // of independent lanes
  std::vector<FenceClocks> fences_;  // empty: no fence yet
};

}  // namespace warptime::debug
