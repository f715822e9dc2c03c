// Divergence of one warp: a stack of (pc, reconvergence pc, lanes), reconverging at immediate post-dominators, as GPUs
// up to compute capability 6.x behave. The top entry lives in `pc`, `reconvergence` and `active`; `entries` holds what
// waits below it.
//
// A divergent branch leaves one entry that waits at the reconvergence point for all its lanes (unless the entry below
// waits there already, as in a loop that lanes leave one by one) and one for the side that runs second. So depth stays
// below twice the warp size.
#pragma once

#include <array>
#include <cstdint>

#include "base/assert.h"
#include "ptx/module.h"

namespace warptime::sim {

class SimtStack {
 public:
  void start(uint32_t lanes) {
    pc_ = 0;
    reconvergence_ = ptx::kNoIndex;
    active_ = live_ = lanes;
    depth_ = 0;
  }

  uint32_t pc() const { return pc_; }
  /// Lanes that execute the instruction at pc().
  uint32_t active() const { return active_; }
  /// Lanes that have not exited.
  uint32_t live() const { return live_; }
  bool done() const { return live_ == 0; }

  void advance() {
    ++pc_;
    if (pc_ == reconvergence_) [[unlikely]]
      reconverge();
  }

  /// Lanes `taken` (a subset of active()) go to `target`, the others to the next instruction. Returns whether they
  /// parted.
  bool branch(uint32_t taken, uint32_t target, uint32_t reconvergence) {
    if (taken == active_ || taken == 0) {
      pc_ = taken != 0 ? target : pc_ + 1;
      if (pc_ == reconvergence_) reconverge();
      return false;
    }
    diverge(taken, target, reconvergence);
    return true;
  }

  /// Lanes leave the program; the others go on at the next instruction.
  void exit(uint32_t lanes) {
    live_ &= ~lanes;
    active_ &= ~lanes;
    if (active_ != 0) advance();
    else if (live_ != 0) reconverge();
  }

 private:
  struct Entry {
    uint32_t pc, reconvergence, lanes;
  };

  void push(Entry entry) {
    SIM_DEBUG_ASSERT(depth_ < entries_.size(), "SIMT stack deeper than {}", entries_.size());
    entries_[depth_++] = entry;
  }

  void diverge(uint32_t taken, uint32_t target, uint32_t reconvergence) {
    uint32_t next = pc_ + 1, others = active_ & ~taken;
    if (reconvergence == ptx::kNoIndex) {
      // The sides never meet again: the second runs to its end after the first.
      push({next, reconvergence_, others});
      pc_ = target;
      active_ = taken;
    } else {
      if (reconvergence != reconvergence_) push({reconvergence, reconvergence_, active_});
      bool second_waits = next != reconvergence;  // a side that starts at the reconvergence point already waits there
      if (target == reconvergence) {
        pc_ = next;
        active_ = others;
      } else {
        if (second_waits) push({next, reconvergence, others});
        pc_ = target;
        active_ = taken;
      }
      reconvergence_ = reconvergence;
    }
    if (pc_ == reconvergence_) reconverge();
  }

  /// The top entry is finished: go on with the one below that still has live lanes.
  void reconverge() {
    do {
      SIM_DEBUG_ASSERT(depth_ > 0, "SIMT stack empty with {} live lanes", live_);
      const Entry& below = entries_[--depth_];
      pc_ = below.pc;
      reconvergence_ = below.reconvergence;
      active_ = below.lanes & live_;
    } while (active_ == 0 || pc_ == reconvergence_);
  }

  uint32_t pc_ = 0;
  uint32_t reconvergence_ = ptx::kNoIndex;
  uint32_t active_ = 0;
  uint32_t live_ = 0;
  uint32_t depth_ = 0;
  std::array<Entry, 68> entries_;
};

}  // namespace warptime::sim
