// Divergence with independent thread scheduling (compute capability 7.0 and later): groups of lanes, each with its own
// program counter and return addresses. One group runs at a time. Groups that reach the same instruction merge; a group
// that loops while others wait yields after a number of backward branches, so that lanes may wait for each other.
//
// No manual defines which group runs. Here the group that is furthest behind runs until it reaches another one, because
// lanes then reconverge after an if or a loop.
#include <algorithm>
#include <bit>

#include "base/assert.h"
#include "base/state_archive.h"
#include "sim/state/divergence.h"

namespace warptime::sim {

namespace {

class IndependentLanes final : public Divergence {
 public:
  void start(const Running& now) override {
    count_ = 1;
    current_ = backward_branches_ = 0;
    groups_[0].pc = 0;
    groups_[0].lanes = now.active;
    groups_[0].barrier = kNoBarrier;
    groups_[0].callers.clear();
  }

  uint32_t calls() const override { return static_cast<uint32_t>(groups_[current_].callers.size()); }
  uint32_t caller(uint32_t frame) const override { return groups_[current_].callers[calls() - 1 - frame]; }

  void reconverge(Running& now) override {
    change(now, [&] { move_to(now.pc); });
  }

  bool branch(Running& now, uint32_t taken, uint32_t target, uint32_t /*reconvergence*/) override {
    const uint32_t before = now.active;
    change(now, [&] { part(taken, target, now.pc + 1); });
    return taken != 0 && taken != before;
  }
  bool branch(Running& now, uint32_t lanes, const std::array<uint32_t, 32>& targets,
              uint32_t /*reconvergence*/) override {
    const uint32_t before = now.active;
    change(now, [&] { part(lanes, targets, now.pc + 1); });
    return now.active != before;
  }

  /// The others continue after the call, or (`again`) execute it again.
  void call(Running& now, uint32_t lanes, uint32_t target, uint32_t again) override {
    change(now, [&] {
      split(lanes, again != 0 ? now.pc : now.pc + 1);
      groups_[current_].callers.push_back(now.pc);
      groups_[current_].pc = target;
      merge();
    });
  }
  void ret(Running& now, uint32_t lanes) override {
    change(now, [&] {
      split(lanes, now.pc + 1);
      Group& group = groups_[current_];
      group.pc = group.callers.back() + 1;
      group.callers.pop_back();
      behind_first();
    });
  }
  void exit(Running& now, uint32_t lanes) override {
    change(now, [&] {
      Group& group = groups_[current_];
      group.lanes &= ~lanes;
      if (group.lanes != 0) return move_to(now.pc + 1);
      group = groups_[--count_];
      if (count_ != 0) behind_first();
    });
  }

  uint32_t awaited_barrier() const override { return groups_[current_].barrier; }
  bool at_barriers() const override {
    return std::all_of(groups_.begin(), groups_.begin() + count_,
                       [](const Group& group) { return group.barrier < kWholeWarp; });
  }
  void park(Running& now, uint32_t lanes, uint32_t barrier) override {
    change(now, [&] {
      split(lanes, now.pc + 1);
      groups_[current_].barrier = barrier;
      ++groups_[current_].pc;
      behind_first();
    });
  }
  void release(Running& now) override {
    change(now, [&] {
      for (uint32_t i = 0; i < count_; ++i) groups_[i].barrier = kNoBarrier;
      behind_first();
    });
  }

  void wait_for_members(Running& now, uint32_t lanes, Handler kind, const std::array<uint32_t, 32>& masks) override {
    change(now, [&] {
      Group from = groups_[current_];
      ++from.pc;
      const uint32_t others = from.lanes & ~lanes;
      groups_[current_] = groups_[--count_];
      if (others != 0) {
        groups_[count_] = from;
        groups_[count_++].lanes = others;
      }
      from.barrier = kMembers;
      from.kind = kind;
      for (; lanes != 0; lanes &= lanes - 1) {
        from.mask = masks[static_cast<size_t>(std::countr_zero(lanes))];
        uint32_t to = 0;
        while (to < count_ && !(groups_[to].same_position(from) && groups_[to].mask == from.mask)) ++to;
        if (to == count_) {
          groups_[count_] = from;
          groups_[count_++].lanes = 0;
        }
        groups_[to].lanes |= lanes & (~lanes + 1);
      }
      behind_first();
    });
  }
  std::vector<LanePath> release_members(Running& now) override {
    std::vector<LanePath> out;
    for (uint32_t first = 0; first < count_ && out.empty(); ++first) {
      const Group& one = groups_[first];
      if (one.barrier != kMembers) continue;
      auto together = [mask = one.mask, kind = one.kind](const Group& group) {
        return group.barrier == kMembers && group.mask == mask && group.kind == kind;
      };
      uint32_t here = 0;
      for (uint32_t i = first; i < count_; ++i)
        if (together(groups_[i])) here |= groups_[i].lanes;
      if (here != (one.mask & now.live)) continue;
      change(now, [&] {
        for (uint32_t i = first; i < count_; ++i) {
          if (!together(groups_[i])) continue;
          out.push_back({groups_[i].pc - 1, ptx::kNoIndex, groups_[i].lanes});
          groups_[i].barrier = kNoBarrier;
        }
        behind_first();
      });
    }
    return out;
  }

  /// Lanes that wait have the pc behind the instruction, as at a barrier.
  void wait_for_warp(Running& now) override {
    change(now, [&] {
      groups_[current_].barrier = kWholeWarp;
      ++groups_[current_].pc;
      behind_first();
    });
  }

  uint32_t choices() const override { return awaited_barrier() == kNoBarrier ? count_ : 0; }
  void reorder(Running& now, uint32_t parting, uint32_t first) override {
    change(now, [&] {
      if (parting != 0) split(parting, now.pc);
      for (current_ = first; awaited_barrier() != kNoBarrier;) current_ = (current_ + 1) % count_;
    });
  }

  std::vector<LanePath> waiting(const Running& /*now*/) const override {
    std::vector<LanePath> out;
    for (uint32_t i = 0; i < count_; ++i)
      if (i != current_) out.push_back({groups_[i].pc, ptx::kNoIndex, groups_[i].lanes});
    return out;
  }

  void append_state(const Running& now, std::vector<uint32_t>& out) const override {
    out.insert(out.end(), {count_, current_, backward_branches_});
    for (uint32_t i = 0; i < count_; ++i) {
      const Group& group = groups_[i];
      // `kind` follows from the pc.
      out.insert(out.end(), {i == current_ ? now.pc : group.pc, group.lanes, group.barrier, group.mask,
                             static_cast<uint32_t>(group.callers.size())});
      out.insert(out.end(), group.callers.begin(), group.callers.end());
    }
  }
  void save(StateWriter& archive, Running& now) override { serialize(archive, now); }
  void restore(StateReader& archive, Running& now) override { serialize(archive, now); }

 private:
  static constexpr uint32_t kBackwardBranches = 64;  // backward branches of a group before another runs

  struct Group {
    uint32_t pc = 0;
    uint32_t lanes = 0;
    uint32_t barrier = kNoBarrier;  // where it waits
    uint32_t mask = 0;              // at kMembers: its member mask,
    Handler kind = nullptr;         // and its instruction
    std::vector<uint32_t> callers;  // its active calls

    template <class Archive>
    void serialize(Archive& archive) {
      archive.index(pc, archive.limits.code + 1);
      archive(lanes, barrier, mask, callers);
      archive.expect(barrier >= kWholeWarp || barrier < ptx::kBarriers);
      for (const uint32_t caller : callers) archive.expect(caller < archive.limits.code);
      archive.function_pointer(kind);
    }

    bool same_position(const Group& other) const {
      return pc == other.pc && barrier == other.barrier && callers == other.callers;
    }
  };

  /// The group that runs is at now.pc; after the change, perhaps another one elsewhere.
  template <class F>
  void change(Running& now, const F& f) {
    groups_[current_].pc = now.pc;
    f();
    if (now.live == 0) return;
    now.pc = groups_[current_].pc;
    now.active = groups_[current_].lanes;
    // The nearest runnable group ahead, with which the current one merges as it advances instruction by instruction.
    now.reconvergence = ptx::kNoIndex;
    for (uint32_t i = 0; i < count_; ++i)
      if (i != current_ && groups_[i].barrier == kNoBarrier && groups_[i].pc > now.pc)
        now.reconvergence = std::min(now.reconvergence, groups_[i].pc);
    now.reports_jumps = count_ > 1;
  }

  /// The group jumps to `pc`.
  void move_to(uint32_t pc) {
    bool back = pc <= groups_[current_].pc;
    groups_[current_].pc = pc;
    merge();
    if (back && count_ > 1 && ++backward_branches_ >= kBackwardBranches) yield();
  }

  /// `lanes` of the group go to `target`, the others to `next`.
  void part(uint32_t lanes, uint32_t target, uint32_t next) {
    uint32_t others = groups_[current_].lanes & ~lanes;
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
    uint32_t others = groups_[current_].lanes & ~lanes;
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

  /// Lanes of the group that are not in `lanes` continue at `next` as a separate group.
  void split(uint32_t lanes, uint32_t next) {
    uint32_t others = groups_[current_].lanes & ~lanes;
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
    if (whole_warp_waits()) [[unlikely]] {
      for (uint32_t i = 0; i < count_; ++i) {
        groups_[i].barrier = kNoBarrier;
        --groups_[i].pc;
      }
    }
    uint32_t best = kNoBarrier;
    for (uint32_t i = 0; i < count_; ++i)
      if (groups_[i].barrier == kNoBarrier && (best == kNoBarrier || groups_[i].pc < groups_[best].pc)) best = i;
    current_ = best == kNoBarrier ? 0 : best;
    if (best == kNoBarrier) return;  // all wait
    backward_branches_ = 0;
    merge();
  }

  /// Whether all lanes are at one instruction of the whole warp.
  bool whole_warp_waits() const {
    return groups_[0].barrier == kWholeWarp && std::all_of(groups_.begin() + 1, groups_.begin() + count_,
                                                           [&](const Group& g) { return g.same_position(groups_[0]); });
  }

  /// The next group in the order of first lanes, cyclically.
  void yield() {
    backward_branches_ = 0;
    auto first = [](const Group& group) { return static_cast<uint32_t>(std::countr_zero(group.lanes)); };
    uint32_t own = first(groups_[current_]), best = current_, best_distance = 64;
    for (uint32_t i = 0; i < count_; ++i) {
      if (i == current_ || groups_[i].barrier != kNoBarrier) continue;
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

  template <class Archive>
  void serialize(Archive& archive, Running& now) {
    archive(count_, current_, backward_branches_);
    archive.expect(count_ <= groups_.size() && current_ < groups_.size() && (count_ == 0 || current_ < count_));
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < count_; ++i) {
      archive(groups_[i]);
      archive.expect((lanes & groups_[i].lanes) == 0);
      lanes |= groups_[i].lanes;
    }
    archive.expect(lanes == now.live);
    now.reports_jumps = count_ > 1;
  }
};

}  // namespace

std::unique_ptr<Divergence> make_independent_lanes() { return std::make_unique<IndependentLanes>(); }

}  // namespace warptime::sim
