// Where the lanes of a warp are. What runs is here, inline; who runs next when lanes diverge is the policy's choice
// (divergence.h).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/state/divergence.h"

namespace warptime::sim {

class ControlFlow {
 public:
  ControlFlow() = default;
  explicit ControlFlow(Reconvergence choice) : policy_(make_divergence(choice)) {}

  void start(uint32_t lanes) {
    now_ = {.pc = 0, .reconvergence = ptx::kNoIndex, .active = lanes, .live = lanes, .reports_jumps = false};
    policy_->start(now_);
  }

  uint32_t pc() const { return now_.pc; }
  /// Lanes that execute the instruction at pc().
  uint32_t active() const { return now_.active; }
  /// Lanes that have not exited.
  uint32_t live() const { return now_.live; }
  bool done() const { return now_.live == 0; }
  /// Where the active lanes meet others; kNoIndex: nowhere.
  uint32_t reconvergence() const { return now_.reconvergence; }

  void advance() { go_to(now_.pc + 1); }

  /// Lanes `taken` (a subset of active()) go to `target`, the others to the next instruction. Returns whether they
  /// diverged.
  bool branch(uint32_t taken, uint32_t target, uint32_t reconvergence) {
    if ((taken != now_.active && taken != 0) || now_.reports_jumps)
      return policy_->branch(now_, taken, target, reconvergence);
    go_to(taken != 0 ? target : now_.pc + 1);
    return false;
  }
  /// Each of `lanes` goes to its own target, the other active lanes to the next instruction.
  bool branch(uint32_t lanes, const std::array<uint32_t, 32>& targets, uint32_t reconvergence) {
    return policy_->branch(now_, lanes, targets, reconvergence);
  }

  /// Lanes enter a function; caller() is the pc of the call until they return. `again`: lanes that execute the call
  /// after them.
  void call(uint32_t lanes, uint32_t target, uint32_t again = 0) { policy_->call(now_, lanes, target, again); }
  /// Number of active calls of the lanes at pc().
  uint32_t calls() const { return policy_->calls(); }
  /// The pc of one of them; 0: the innermost.
  uint32_t caller(uint32_t frame = 0) const { return policy_->caller(frame); }
  /// Lanes return from the function; the others continue at the next instruction.
  void ret(uint32_t lanes) { policy_->ret(now_, lanes); }
  /// Lanes exit; the others continue at the next instruction.
  void exit(uint32_t lanes) {
    now_.live &= ~lanes;
    policy_->exit(now_, lanes);
  }

  /// The paths that do not run, the one that runs last first. A stack names lanes more than once: where they wait for
  /// others, too.
  std::vector<LanePath> waiting() const { return policy_->waiting(now_); }
  /// Calls f(pc, lanes) for the live lanes that do not execute, by where each of them goes on.
  template <class F>
  void for_each_place(const F& f) const {
    uint32_t rest = now_.live & ~now_.active;
    const std::vector<LanePath> paths = waiting();
    for (size_t i = paths.size(); i-- > 0 && rest != 0;) {
      const uint32_t lanes = paths[i].lanes & rest;
      if (lanes != 0) f(paths[i].pc, lanes);
      rest &= ~lanes;
    }
  }

  // These concern independently scheduled lanes only.
  /// `lanes` of those at pc() wait at a barrier.
  void park(uint32_t lanes, uint32_t barrier) { policy_->park(now_, lanes, barrier); }
  /// Where some lanes wait, if none can continue; else kNoBarrier.
  uint32_t awaited_barrier() const { return policy_->awaited_barrier(); }
  /// All lanes wait at barriers.
  bool at_barriers() const { return policy_->at_barriers(); }
  /// They continue.
  void release() { policy_->release(now_); }
  /// Calls f(pc of the instruction, lanes) for lanes that all wait.
  template <class F>
  void for_each_waiting(const F& f) const {
    f(now_.pc - 1, now_.active);
    for (const LanePath& path : waiting()) f(path.pc - 1, path.lanes);
  }
  /// Each of `lanes` at pc() waits for the others of its member mask until they reach an instruction of this kind.
  void wait_for_members(uint32_t lanes, Handler kind, const std::array<uint32_t, 32>& masks) {
    policy_->wait_for_members(now_, lanes, kind, masks);
  }
  /// If all lanes of a member mask have arrived, they continue: the instructions at which they waited. Empty: no mask
  /// is complete.
  std::vector<LanePath> release_members() { return policy_->release_members(now_); }
  /// The lanes at pc() wait until all that have not exited are there; then they execute the instruction together.
  void wait_for_warp() { policy_->wait_for_warp(now_); }
  /// Another legal order: perhaps some of the active lanes part from the others, and any path that can run goes on.
  /// `below(n)` gives a number below n. Of lanes in lockstep there is none.
  template <class Below>
  void reorder(const Below& below) {
    const uint32_t choices = policy_->choices();
    if (choices == 0) return;
    const uint32_t some = now_.active & static_cast<uint32_t>(below(uint64_t{1} << 32));
    const bool parts = below(2) == 0 && some != 0 && some != now_.active;
    policy_->reorder(now_, parts ? some : 0, static_cast<uint32_t>(below(choices + uint64_t{parts})));
  }

  /// The complete state that determines the lanes' next instructions.
  void append_state(std::vector<uint32_t>& out) const {
    out.insert(out.end(), {now_.pc, now_.reconvergence, now_.active, now_.live});
    policy_->append_state(now_, out);
  }
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive(now_);
    if constexpr (Archive::kRestores) policy_->restore(archive, now_);
    else policy_->save(archive, now_);
  }

 private:
  void go_to(uint32_t pc) {
    now_.pc = pc;
    if (pc == now_.reconvergence) [[unlikely]]
      policy_->reconverge(now_);
  }

  Running now_;
  std::unique_ptr<Divergence> policy_;
};

}  // namespace warptime::sim
