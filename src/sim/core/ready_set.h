// The warps that may issue now, and the time at which the next one may: a timing wheel of 64 cycles with a bitmap of
// its occupied slots, so that queries and jumps take a few instructions for any number of warps (at most 64). Later
// wake-ups are kept separately.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "base/clock.h"

namespace warptime::sim {

class ReadySet {
 public:
  static constexpr uint32_t kMaxWarps = 64;
  static constexpr Cycle kWheel = 64;

  /// Warp `warp` is ready from `cycle` on. It must not be in the set. No query concerns cycles before `asked`.
  void schedule(uint32_t warp, Cycle cycle, Cycle asked = 0) {
    uint64_t bit = uint64_t{1} << warp;
    if (cycle <= std::max(now_, asked)) {
      ready_ |= bit;
    } else if (cycle - now_ < kWheel) {
      wheel_[cycle % kWheel] |= bit;
      occupied_ |= uint64_t{1} << (cycle % kWheel);
    } else {
      far_ |= bit;
      far_at_[warp] = cycle;
      next_far_ = std::min(next_far_, cycle);
    }
  }

  /// The warp leaves the set; it must be ready.
  void take(uint32_t warp) { ready_ &= ~(uint64_t{1} << warp); }

  /// The warp, which was scheduled for `cycle`, leaves the set.
  void cancel(uint32_t warp, Cycle cycle) {
    uint64_t bit = uint64_t{1} << warp;
    ready_ &= ~bit;
    far_ &= ~bit;
    uint64_t& slot = wheel_[cycle % kWheel];
    slot &= ~bit;
    if (slot == 0) occupied_ &= ~(uint64_t{1} << (cycle % kWheel));
  }

  /// Ready warps at `cycle`, which never decreases.
  uint64_t at(Cycle cycle) {
    if (cycle > now_) advance(cycle);
    return ready_;
  }

  /// First cycle after the last query at which a warp becomes ready; kNever if none is scheduled.
  Cycle next_wake() const {
    Cycle next = next_far_;
    if (occupied_ != 0) {
      auto distance = static_cast<Cycle>(std::countr_zero(std::rotr(occupied_, static_cast<int>((now_ + 1) % kWheel))));
      next = std::min(next, now_ + 1 + distance);
    }
    return next;
  }

  void reset() { *this = ReadySet{}; }

 private:
  void advance(Cycle cycle) {
    if (occupied_ != 0) {
      // Slots of the cycles now_ + 1 .. cycle, as bits of the wheel.
      Cycle steps = std::min(cycle - now_, kWheel);
      uint64_t due = steps == kWheel ? ~uint64_t{0} : (uint64_t{1} << steps) - 1;
      due = std::rotl(due, static_cast<int>((now_ + 1) % kWheel)) & occupied_;
      occupied_ &= ~due;
      for (; due != 0; due &= due - 1) {
        uint64_t& slot = wheel_[static_cast<size_t>(std::countr_zero(due))];
        ready_ |= slot;
        slot = 0;
      }
    }
    now_ = cycle;
    if (next_far_ <= cycle) [[unlikely]]
      collect_far();
  }

  void collect_far() {
    next_far_ = kNever;
    for (uint64_t rest = far_; rest != 0; rest &= rest - 1) {
      auto warp = static_cast<uint32_t>(std::countr_zero(rest));
      if (far_at_[warp] <= now_) {
        far_ &= ~(uint64_t{1} << warp);
        ready_ |= uint64_t{1} << warp;
      } else {
        next_far_ = std::min(next_far_, far_at_[warp]);
      }
    }
  }

  Cycle now_ = 0;
  uint64_t ready_ = 0;
  uint64_t occupied_ = 0;  // slots of the wheel that hold warps
  std::array<uint64_t, kWheel> wheel_{};
  uint64_t far_ = 0;
  Cycle next_far_ = kNever;
  std::array<Cycle, kMaxWarps> far_at_{};

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive(now_);
    archive.mask(ready_, archive.limits.warps);
    archive(occupied_);
    for (uint64_t& slot : wheel_) archive.mask(slot, archive.limits.warps);
    archive.mask(far_, archive.limits.warps);
    archive(next_far_, far_at_);
  }
};

}  // namespace warptime::sim
