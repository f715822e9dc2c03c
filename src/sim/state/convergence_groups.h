// Divergence of one warp with independent thread scheduling (compute capability 7.0 and later): groups of lanes, each
// with its own program counter and return addresses. One group runs at a time. Groups that reach the same instruction
// merge; a group that loops while others wait yields after a number of backward branches, so that lanes may wait for
// each other.
//
// No manual defines which group runs. Here the group that is furthest behind runs until it reaches another one, because
// lanes then reconverge after an if or a loop.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/assert.h"
#include "ptx/module.h"
#include "sim/exec/insn.h"

namespace warptime::sim {

/// The barrier number of a group that waits for the other lanes of its member mask.
inline constexpr uint32_t kMembers = ~uint32_t{0} - 1;

class ConvergenceGroups {
 public:
  static constexpr uint32_t kBackwardBranches = 64;  // backward branches of a group before another runs

  void start(uint32_t lanes) {
    count_ = 1;
    current_ = backward_branches_ = 0;
    groups_[0].pc = 0;
    groups_[0].lanes = lanes;
    groups_[0].barrier = kNone;
    groups_[0].callers.clear();
  }

  uint32_t pc() const { return groups_[current_].pc; }
  uint32_t active() const { return groups_[current_].lanes; }
  /// No group can run: all wait, at barriers or for other lanes.
  bool waits() const { return groups_[current_].barrier != kNone; }
  /// Where the current group waits.
  uint32_t awaited_barrier() const { return groups_[current_].barrier; }
  uint32_t caller() const { return groups_[current_].callers.back(); }
  /// Calls f(pc) for its active calls, the innermost first.
  template <class F>
  void for_each_call(const F& f) const {
    const std::vector<uint32_t>& callers = groups_[current_].callers;
    for (size_t i = callers.size(); i-- > 0;) f(callers[i]);
  }
  uint32_t calls() const { return static_cast<uint32_t>(groups_[current_].callers.size()); }
  /// The pc of the nearest runnable group ahead, with which the current group merges as it advances instruction by
  /// instruction.
  uint32_t next_convergence() const {
    uint32_t next = ptx::kNoIndex;
    for (uint32_t i = 0; i < count_; ++i)
      if (i != current_ && groups_[i].barrier == kNone && groups_[i].pc > pc()) next = std::min(next, groups_[i].pc);
    return next;
  }

  /// The group has reached `pc` without passing another.
  void at(uint32_t pc) { groups_[current_].pc = pc; }
  /// The group jumps to `pc`.
  void move_to(uint32_t pc) {
    bool back = pc <= groups_[current_].pc;
    groups_[current_].pc = pc;
    merge();
    if (back && count_ > 1 && ++backward_branches_ >= kBackwardBranches) yield();
  }

  /// `lanes` of the group go to `target`, the others to `next`.
  void part(uint32_t lanes, uint32_t target, uint32_t next) {
    uint32_t others = active() & ~lanes;
    if (lanes == 0) return move_to(next);
    if (others != 0) {
      SIM_DEBUG_ASSERT(count_ < groups_.size(), "more groups than lanes");
      groups_[count_] = groups_[current_];
      groups_[count_].lanes = others;
      groups_[count_].pc = next;
      groups_[current_].lanes = lanes;
      groups_[current_].pc = target;
      if (next < target) current_ = count_;  // the one behind goes first
      ++count_;
      merge();
    } else {
      move_to(target);
    }
  }

  /// Each of `lanes` goes to its own target, the others to `next`.
  void part(uint32_t lanes, const std::array<uint32_t, 32>& targets, uint32_t next) {
    uint32_t others = active() & ~lanes;
    for (; lanes != 0; lanes &= lanes - 1) {
      auto lane = static_cast<uint32_t>(std::countr_zero(lanes));
      groups_[current_].lanes = 1u << lane;
      groups_[current_].pc = targets[lane];
      merge();
      if ((lanes & (lanes - 1)) == 0 && others == 0) break;
      groups_[count_] = groups_[current_];  // the rest of the group continues from the last entry
      groups_[count_].lanes = 0;
      current_ = count_++;
    }
    if (others != 0) {
      groups_[current_].lanes = others;
      groups_[current_].pc = next;
    }
    behind_first();
  }

  /// `lanes` enter a function; the others continue after the call, or (`again`) execute it again.
  void call(uint32_t lanes, uint32_t target, bool again = false) {
    uint32_t from = pc();
    split(lanes, again ? from : from + 1);
    Group& group = groups_[current_];
    group.callers.push_back(from);
    group.pc = target;
    merge();
  }
  void ret(uint32_t lanes) {
    split(lanes, pc() + 1);
    Group& group = groups_[current_];
    group.pc = group.callers.back() + 1;
    group.callers.pop_back();
    behind_first();
  }
  /// `lanes` exit. False: no lane is left.
  bool exit(uint32_t lanes) {
    Group& group = groups_[current_];
    group.lanes &= ~lanes;
    if (group.lanes != 0) {
      move_to(group.pc + 1);
      return true;
    }
    groups_[current_] = groups_[--count_];
    if (count_ == 0) return false;
    behind_first();
    return true;
  }

  /// `lanes` of the group wait at a barrier and then continue at the next instruction; the others continue there at
  /// once.
  void park(uint32_t lanes, uint32_t barrier) {
    split(lanes, pc() + 1);
    groups_[current_].barrier = barrier;
    ++groups_[current_].pc;
    behind_first();
  }
  /// All groups wait at barriers, none of them for other lanes.
  bool at_barriers() const {
    for (uint32_t i = 0; i < count_; ++i)
      if (groups_[i].barrier == kNone || groups_[i].barrier == kMembers) return false;
    return true;
  }
  /// Calls f(pc, lanes) for all groups, which wait at barriers: pc is that of the instruction.
  template <class F>
  void for_each_waiting(const F& f) const {
    for (uint32_t i = 0; i < count_; ++i) f(groups_[i].pc - 1, groups_[i].lanes);
  }
  /// Calls f(pc, lanes) for the groups that do not run.
  template <class F>
  void for_each_other(const F& f) const {
    for (uint32_t i = 0; i < count_; ++i)
      if (i != current_) f(groups_[i].pc, groups_[i].lanes);
  }
  /// They continue.
  void release() {
    for (uint32_t i = 0; i < count_; ++i) groups_[i].barrier = kNone;
    behind_first();
  }
  /// `lanes` of the group wait at this instruction for the others of their member masks that have not exited: until
  /// these reach an instruction of the same kind with the same mask. The rest of the group continues.
  template <class F>
  void wait_for_members(uint32_t lanes, Handler kind, const F& mask_of) {
    Group from = groups_[current_];
    ++from.pc;
    uint32_t others = from.lanes & ~lanes;
    groups_[current_] = groups_[--count_];
    if (others != 0) {
      groups_[count_] = from;
      groups_[count_++].lanes = others;
    }
    from.barrier = kMembers;
    from.kind = kind;
    for (; lanes != 0; lanes &= lanes - 1) {
      from.mask = mask_of(static_cast<uint32_t>(std::countr_zero(lanes)));
      uint32_t to = 0;
      while (to < count_ && !(groups_[to].same_position(from) && groups_[to].mask == from.mask)) ++to;
      if (to == count_) {
        groups_[count_] = from;
        groups_[count_++].lanes = 0;
      }
      groups_[to].lanes |= lanes & (~lanes + 1);
    }
    behind_first();
  }
  /// If all lanes of a mask have arrived, calls f(pc, lanes) for each instruction at which they wait; they continue
  /// after it. False: no mask is complete.
  template <class F>
  bool release_members(const F& f) {
    uint32_t live = 0;
    for (uint32_t i = 0; i < count_; ++i) live |= groups_[i].lanes;
    for (uint32_t first = 0; first < count_; ++first) {
      if (groups_[first].barrier != kMembers) continue;
      auto together = [mask = groups_[first].mask, kind = groups_[first].kind](const Group& group) {
        return group.barrier == kMembers && group.mask == mask && group.kind == kind;
      };
      uint32_t here = 0;
      for (uint32_t i = first; i < count_; ++i)
        if (together(groups_[i])) here |= groups_[i].lanes;
      if (here != (groups_[first].mask & live)) continue;
      for (uint32_t i = first; i < count_; ++i) {
        if (!together(groups_[i])) continue;
        f(groups_[i].pc - 1, groups_[i].lanes);
        groups_[i].barrier = kNone;
      }
      behind_first();
      return true;
    }
    return false;
  }

  /// Another legal order: perhaps some lanes of the group part from it, and any group that can run goes on. `below(n)`
  /// gives a number below n.
  template <class Below>
  void reorder(const Below& below) {
    if (groups_[current_].barrier != kNone) return;
    const auto some = active() & static_cast<uint32_t>(below(uint64_t{1} << 32));
    if (below(2) == 0 && some != 0 && some != active()) split(some, pc());
    const auto first = static_cast<uint32_t>(below(count_));
    for (uint32_t i = 0; i < count_; ++i) {
      const uint32_t group = (first + i) % count_;
      if (groups_[group].barrier != kNone) continue;
      current_ = group;
      return;
    }
  }

  /// The complete state that determines the lanes' next instructions.
  void append_state(std::vector<uint32_t>& out) const {
    out.insert(out.end(), {count_, current_, backward_branches_});
    for (uint32_t i = 0; i < count_; ++i) {
      const Group& group = groups_[i];
      auto depth = static_cast<uint32_t>(group.callers.size());
      // `kind` follows from the pc.
      out.insert(out.end(), {group.pc, group.lanes, group.barrier, group.mask, depth});
      out.insert(out.end(), group.callers.begin(), group.callers.end());
    }
  }

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};

  struct Group {
    uint32_t pc = 0;
    uint32_t lanes = 0;
    uint32_t barrier = kNone;       // where it waits
    uint32_t mask = 0;              // at kMembers: its member mask,
    Handler kind = nullptr;         // and its instruction
    std::vector<uint32_t> callers;  // its active calls

    template <class Archive>
    void serialize(Archive& archive) {
      archive.index(pc, archive.limits.code + 1);
      archive(lanes, barrier, mask, callers);
      archive.expect(barrier >= kMembers || barrier < ptx::kBarriers);
      for (const uint32_t caller : callers) archive.expect(caller < archive.limits.code);
      archive.function_pointer(kind);
    }

    bool same_position(const Group& other) const {
      return pc == other.pc && barrier == other.barrier && callers == other.callers;
    }
  };

  /// Lanes of the group that are not in `lanes` continue at `next` as a separate group.
  void split(uint32_t lanes, uint32_t next) {
    uint32_t others = active() & ~lanes;
    if (others == 0) return;
    groups_[count_] = groups_[current_];
    groups_[count_].lanes = others;
    groups_[count_].pc = next;
    groups_[current_].lanes = lanes;
    ++count_;
  }

  /// Merges all groups at the same pc into the current group.
  void merge() {
    for (uint32_t i = 0; i < count_; ++i) {
      if (i == current_ || !groups_[i].same_position(groups_[current_])) continue;
      groups_[current_].lanes |= groups_[i].lanes;
      groups_[i] = groups_[--count_];
      if (current_ == count_) current_ = i;
      --i;
    }
  }

  /// The group that is furthest behind among those that can run.
  void behind_first() {
    uint32_t best = kNone;
    for (uint32_t i = 0; i < count_; ++i)
      if (groups_[i].barrier == kNone && (best == kNone || groups_[i].pc < groups_[best].pc)) best = i;
    current_ = best == kNone ? 0 : best;
    if (best == kNone) return;  // all wait
    backward_branches_ = 0;
    merge();
  }

  /// The next group in the order of first lanes, cyclically.
  void yield() {
    backward_branches_ = 0;
    auto first = [](const Group& group) { return static_cast<uint32_t>(std::countr_zero(group.lanes)); };
    uint32_t own = first(groups_[current_]), best = current_, best_distance = 64;
    for (uint32_t i = 0; i < count_; ++i) {
      if (i == current_ || groups_[i].barrier != kNone) continue;
      uint32_t distance = (first(groups_[i]) + 32 - own) % 32;
      if (distance < best_distance) {
        best = i;
        best_distance = distance;
      }
    }
    current_ = best;
  }

  uint32_t count_ = 0, current_ = 0, backward_branches_ = 0;
  std::array<Group, 32> groups_;

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive(count_, current_, backward_branches_);
    archive.expect(count_ <= groups_.size() && current_ < groups_.size() && (count_ == 0 || current_ < count_));
    for (uint32_t i = 0; i < count_; ++i) archive(groups_[i]);
  }
};

}  // namespace warptime::sim
