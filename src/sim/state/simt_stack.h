// Divergence of one warp: a stack of (pc, reconvergence pc, lanes) with reconvergence at immediate post-dominators, as
// on GPUs up to compute capability 6.x. The top entry is in `pc`, `reconvergence` and `active`; `entries` holds the
// waiting entries below it.
//
// A divergent branch pushes one entry that waits at the reconvergence point for all its lanes (unless the entry below
// already waits there, as in a loop that lanes leave one by one), and one for each path that runs later. The paths have
// disjoint lanes, and every reconvergence entry belongs to lanes that diverged, so the depth stays below twice the warp
// size.
//
// A call pushes an entry that waits after the call for its lanes, and begins a frame: the entries above belong to the
// function. Lanes that return leave the frame; when none is left, the entry of the call continues with all its lanes,
// so lanes that return at different times reconverge at the caller. Calls nest as deep as the program's call graph, or,
// with recursion, as the lanes' stacks permit.
//
// On machines with independent scheduling, ConvergenceGroups does the same. This class has the parts common to both,
// and all that an instruction without control flow needs.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/assert.h"
#include "ptx/module.h"
#include "sim/state/convergence_groups.h"

namespace warptime::sim {

class SimtStack {
 public:
  SimtStack() { allow_calls(ptx::kMaxCallDepth); }
  /// Once, before the first start.
  void schedule_lanes_independently() { groups_ = std::make_unique<ConvergenceGroups>(); }

  void start(uint32_t lanes) {
    pc_ = 0;
    reconvergence_ = ptx::kNoIndex;
    active_ = live_ = in_frame_ = lanes;
    depth_ = frames_ = 0;
    if (groups_ != nullptr) groups_->start(lanes);
  }

  uint32_t pc() const { return pc_; }
  /// Lanes that execute the instruction at pc().
  uint32_t active() const { return active_; }
  /// Lanes that have not exited.
  uint32_t live() const { return live_; }
  bool done() const { return live_ == 0; }
  /// Where the active lanes wait for others; kNoIndex: nowhere.
  uint32_t reconvergence() const { return reconvergence_; }
  /// Calls f(pc, reconvergence, lanes) for the entries below the top one, the lowest first; of independently scheduled
  /// lanes, for the groups that do not run.
  template <class F>
  void for_each_waiting_entry(const F& f) const {
    if (groups_ != nullptr)
      return groups_->for_each_other([&](uint32_t pc, uint32_t lanes) { f(pc, ptx::kNoIndex, lanes); });
    for (uint32_t i = 0; i < depth_; ++i) f(entries_[i].pc, entries_[i].reconvergence, entries_[i].lanes & live_);
  }

  /// With reconvergence by a stack: calls f(pc, lanes) for the live lanes that do not execute, by where each of them
  /// goes on.
  template <class F>
  void for_each_place(const F& f) const {
    uint32_t rest = live_ & ~active_, in_frame = in_frame_, frame = frames_;
    for (uint32_t i = depth_; i-- > 0 && rest != 0;) {
      if (frame != 0 && callers_[frame - 1].depth == i) in_frame = callers_[--frame].in_frame;
      uint32_t lanes = entries_[i].lanes & in_frame & rest;
      if (lanes != 0) f(entries_[i].pc, lanes);
      rest &= ~lanes;
    }
  }

  void advance() {
    ++pc_;
    if (pc_ == reconvergence_) [[unlikely]]
      reconverge();
  }

  /// Lanes `taken` (a subset of active()) go to `target`, the others to the next instruction. Returns whether they
  /// diverged.
  bool branch(uint32_t taken, uint32_t target, uint32_t reconvergence) {
    if (groups_ != nullptr) [[unlikely]] {
      uint32_t before = active_;
      of_groups([&] { groups_->part(taken, target, pc_ + 1); });
      return taken != 0 && taken != before;
    }
    if (taken == active_ || taken == 0) {
      pc_ = taken != 0 ? target : pc_ + 1;
      if (pc_ == reconvergence_) reconverge();
      return false;
    }
    diverge(taken, target, reconvergence);
    return true;
  }

  /// Each of `lanes` goes to its own target, the other active lanes to the next instruction. The paths run in the order
  /// of their first lanes; lanes that do not branch run last.
  bool branch(uint32_t lanes, const std::array<uint32_t, 32>& targets, uint32_t reconvergence) {
    if (groups_ != nullptr) [[unlikely]] {
      uint32_t before = active_;
      of_groups([&] { groups_->part(lanes, targets, pc_ + 1); });
      return active_ != before;
    }
    std::array<Entry, 33> sides;
    uint32_t count = 0;
    uint32_t others = active_ & ~lanes;
    while (lanes != 0) {
      uint32_t target = targets[static_cast<size_t>(std::countr_zero(lanes))], side = 0;
      for (uint32_t rest = lanes; rest != 0; rest &= rest - 1)
        if (targets[static_cast<size_t>(std::countr_zero(rest))] == target) side |= rest & (~rest + 1);
      sides[count++] = {target, reconvergence, side};
      lanes &= ~side;
    }
    if (others != 0) sides[count++] = {pc_ + 1, reconvergence, others};
    if (count == 1) {
      pc_ = sides[0].pc;
      if (pc_ == reconvergence_) reconverge();
      return false;
    }
    bool reconverges = reconvergence != ptx::kNoIndex;
    if (reconverges && reconvergence != reconvergence_) push({reconvergence, reconvergence_, active_});
    for (uint32_t i = count; i-- > 0;) {
      if (!reconverges) sides[i].reconvergence = reconvergence_;
      // A path that starts at the reconvergence point already waits there.
      if (!reconverges || sides[i].pc != reconvergence) push(sides[i]);
    }
    reconverge();
    return true;
  }

  /// Lanes enter a function; caller() is the pc of the call until they return. `again`: lanes that execute the call
  /// after them.
  void call(uint32_t lanes, uint32_t target, uint32_t again = 0) {
    if (groups_ != nullptr) return of_groups([&] { groups_->call(lanes, target, again != 0); });
    if (again != 0) {  // all reconverge behind the call
      if (reconvergence_ != pc_ + 1) push({pc_ + 1, reconvergence_, active_});
      push({pc_, pc_ + 1, again});
      reconvergence_ = pc_ + 1;
      active_ = lanes;
    }
    if (frames_ == callers_.size()) [[unlikely]]
      allow_calls(2 * frames_);
    callers_[frames_++] = {pc_, depth_, in_frame_};
    push({pc_ + 1, reconvergence_, active_});
    in_frame_ = active_ = lanes;
    pc_ = target;
    reconvergence_ = ptx::kNoIndex;
  }
  /// Number of active calls of the lanes at pc().
  uint32_t calls() const { return groups_ != nullptr ? groups_->calls() : frames_; }
  /// Calls f(pc of the call) for them, the innermost first.
  template <class F>
  void for_each_call(const F& f) const {
    if (groups_ != nullptr) return groups_->for_each_call(f);
    for (uint32_t i = frames_; i-- > 0;) f(callers_[i].pc);
  }
  uint32_t caller() const { return groups_ != nullptr ? groups_->caller() : callers_[frames_ - 1].pc; }

  /// Lanes return from the function; the others continue at the next instruction.
  void ret(uint32_t lanes) {
    if (groups_ != nullptr) return of_groups([&] { groups_->ret(lanes); });
    in_frame_ &= ~lanes;
    active_ &= ~lanes;
    if (active_ != 0) advance();
    else reconverge();
  }

  /// Lanes exit; the others continue at the next instruction.
  void exit(uint32_t lanes) {
    live_ &= ~lanes;
    if (groups_ != nullptr) return of_groups([&] { groups_->exit(lanes); });
    in_frame_ &= ~lanes;
    active_ &= ~lanes;
    if (active_ != 0) advance();
    else if (live_ != 0) reconverge();
  }

  // For independently scheduled lanes.
  /// `lanes` of those at pc() wait at a barrier. Returns whether others can continue.
  bool park(uint32_t lanes, uint32_t barrier) {
    of_groups([&] { groups_->park(lanes, barrier); });
    return !groups_->waits();
  }
  /// No lane can continue.
  bool waits() const { return groups_ != nullptr && groups_->waits(); }
  /// All lanes wait at barriers.
  bool at_barriers() const { return groups_ != nullptr && groups_->at_barriers(); }
  /// They continue.
  void release() {
    of_groups([&] { groups_->release(); });
  }
  /// Calls f(pc, lanes) for them: pc is that of the instruction.
  template <class F>
  void for_each_waiting(const F& f) const {
    groups_->for_each_waiting(f);
  }
  /// Another legal order of lanes (ConvergenceGroups::reorder); of lanes in lockstep there is none.
  template <class Below>
  void reorder(const Below& below) {
    if (groups_ != nullptr) of_groups([&] { groups_->reorder(below); });
  }
  /// Each of `lanes` at pc() waits for the others of its member mask, mask_of(lane).
  template <class F>
  void wait_for_members(uint32_t lanes, Handler kind, const F& mask_of) {
    of_groups([&] { groups_->wait_for_members(lanes, kind, mask_of); });
  }
  /// If all lanes of a member mask have arrived, calls f(pc, lanes) for them; false: no mask is complete.
  template <class F>
  bool release_members(const F& f) {
    bool released = false;
    of_groups([&] { released = groups_->release_members(f); });
    return released;
  }
  /// The pc at which some of them wait.
  uint32_t awaited_barrier() const { return groups_->awaited_barrier(); }

  /// The complete state that determines the lanes' next instructions.
  void append_state(std::vector<uint32_t>& out) const {
    out.insert(out.end(), {pc_, reconvergence_, active_, live_, in_frame_, depth_, frames_});
    for (uint32_t i = 0; i < depth_; ++i)
      out.insert(out.end(), {entries_[i].pc, entries_[i].reconvergence, entries_[i].lanes});
    for (uint32_t i = 0; i < frames_; ++i)
      out.insert(out.end(), {callers_[i].pc, callers_[i].depth, callers_[i].in_frame});
    if (groups_ != nullptr) groups_->append_state(out);
  }

 private:
  template <class F>
  void of_groups(const F& change) {
    groups_->at(pc_);
    change();
    if (live_ == 0) return;
    pc_ = groups_->pc();
    active_ = groups_->active();
    reconvergence_ = groups_->next_convergence();
  }

  static constexpr uint32_t kEntries = 68;          // without those of calls
  static constexpr uint32_t kMostCalls = 1u << 18;  // more than the lanes' stacks permit, in a saved state

  struct Entry {
    uint32_t pc, reconvergence, lanes;

    template <class Archive>
    void serialize(Archive& archive) {
      archive.index(pc, archive.limits.code + 1);
      archive(reconvergence, lanes);
    }
  };
  struct Caller {
    uint32_t pc;        // of the call
    uint32_t depth;     // of its entry
    uint32_t in_frame;  // as it was

    template <class Archive>
    void serialize(Archive& archive) {
      archive.index(pc, archive.limits.code);
      archive(depth, in_frame);
    }
  };

  /// Only recursion needs more than the initial number.
  void allow_calls(uint32_t depth) {
    callers_.resize(depth);
    entries_.resize(kEntries + depth);
  }

  void push(Entry entry) {
    SIM_DEBUG_ASSERT(depth_ < entries_.size(), "SIMT stack deeper than {}", entries_.size());
    entries_[depth_++] = entry;
  }

  void diverge(uint32_t taken, uint32_t target, uint32_t reconvergence) {
    uint32_t next = pc_ + 1, others = active_ & ~taken;
    if (reconvergence == ptx::kNoIndex) {
      // The paths never reconverge: the second runs to its end after the first.
      push({next, reconvergence_, others});
      pc_ = target;
      active_ = taken;
    } else {
      if (reconvergence != reconvergence_) push({reconvergence, reconvergence_, active_});
      bool second_waits = next != reconvergence;  // a path that starts at the reconvergence point already waits there
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

  /// The top entry is finished: continue with the next one below that still has lanes.
  void reconverge() {
    if (groups_ != nullptr) return of_groups([&] { groups_->move_to(pc_); });
    do {
      SIM_DEBUG_ASSERT(depth_ > 0, "SIMT stack empty with {} live lanes", live_);
      const Entry& below = entries_[--depth_];
      if (frames_ != 0 && callers_[frames_ - 1].depth == depth_) in_frame_ = callers_[--frames_].in_frame & live_;
      pc_ = below.pc;
      reconvergence_ = below.reconvergence;
      active_ = below.lanes & in_frame_;
    } while (active_ == 0 || pc_ == reconvergence_);
  }

  uint32_t pc_ = 0;
  uint32_t reconvergence_ = ptx::kNoIndex;
  uint32_t active_ = 0;
  uint32_t live_ = 0;
  uint32_t in_frame_ = 0;  // lanes that have not returned from the current function; outside of calls, the live lanes
  uint32_t depth_ = 0;
  uint32_t frames_ = 0;
  std::vector<Entry> entries_;
  std::vector<Caller> callers_;
  std::unique_ptr<ConvergenceGroups> groups_;  // only with independent scheduling

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    auto calls = static_cast<uint32_t>(callers_.size());
    archive(pc_, reconvergence_, active_, live_, in_frame_, depth_, frames_, calls);
    archive.expect(calls <= kMostCalls);
    if (calls != callers_.size()) allow_calls(calls);
    archive.expect(depth_ <= entries_.size() && frames_ <= callers_.size());
    archive.expect(live_ == 0 || pc_ < archive.limits.code);
    // Lanes that live are at the top or wait in an entry: the stack is never empty before they have ended.
    uint32_t lanes = active_;
    for (uint32_t i = 0; i < depth_; ++i) {
      archive(entries_[i]);
      lanes |= entries_[i].lanes;
    }
    for (uint32_t i = 0; i < frames_; ++i) {
      archive(callers_[i]);
      archive.expect(callers_[i].depth < depth_);
    }
    if (groups_ != nullptr) archive(*groups_);
    else archive.expect((live_ & ~lanes) == 0);
  }
};

}  // namespace warptime::sim
