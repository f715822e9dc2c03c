// A sub-core of an SM: one warp scheduler and the warp slots that it chooses from. It issues one instruction at a time
// (or two of one warp, `issue.dual`) and is then occupied for the instruction's issue cycles. An SM of a G80 has one
// sub-core; SMs of Fermi and Kepler have two and four (`issue.ports` of the machine file); slot w belongs to sub-core w
// mod their number.
//
// Left out: units that sub-cores share. pipes.h determines which pipes each sub-core can use; registers, scoreboard,
// load/store unit and instruction cache belong to the SM.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>

#include "base/clock.h"
#include "sim/core/warp_picker.h"
#include "sim/model/machine.h"

namespace warptime::sim {

class SubCore {
 public:
  SubCore(const IssueConfig& issue, uint32_t index);

  uint32_t index() const { return index_; }
  /// The warp slots of its scheduler.
  uint64_t slots() const { return slots_; }
  /// First cycle at which it may issue; at least free().
  Cycle next() const { return next_; }
  /// First cycle at which no instruction occupies it.
  Cycle free() const { return free_; }
  /// The instruction that occupied it last.
  uint32_t held_by() const { return held_by_; }
  WarpPicker& picker() { return picker_; }

  /// At the same cycle, the sub-core that issued longest ago goes first, so that none starves at a shared pipe.
  bool goes_before(const SubCore& other) const { return std::tie(next_, free_) < std::tie(other.next_, other.free_); }
  /// From `cycle` on one of its warps may be able to issue.
  void wake(Cycle cycle) { next_ = std::min(next_, std::max(cycle, free_)); }
  /// None of its warps can issue before `cycle`.
  void sleep_until(Cycle cycle) { next_ = cycle; }
  /// Issued at `now`; any warp may be next.
  void issued(Cycle now) { next_ = std::max(now, free_); }
  /// Its cycles before `cycle` are charged.
  void idle_until(Cycle cycle) { free_ = std::max(free_, cycle); }
  /// An instruction that issues at `now` occupies it. Returns for how many cycles: the second instruction of a dual
  /// issue adds only the cycles by which it lasts longer.
  Cycle hold(Cycle now, uint32_t cycles, uint32_t pc) {
    held_by_ = pc;
    Cycle from = std::max(now, free_), until = std::max(free_, now + cycles);
    free_ = until;
    return until - from;
  }

 private:
  uint32_t index_;
  uint32_t held_by_ = 0;
  uint64_t slots_ = 0;
  Cycle next_ = kNever;
  Cycle free_ = 0;
  WarpPicker picker_;

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive.index(held_by_, archive.limits.code);
    archive(next_, free_, picker_);
  }
};

}  // namespace warptime::sim
