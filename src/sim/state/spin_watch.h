// Finds out whether an SM's warps repeat themselves for ever. While it watches, memory must not change: stores and
// atomic operations that write what is there already are let pass, any other ends the watch. A warp whose registers,
// predicates and control flow are at a jump backwards what they were at an earlier one then does between the two what
// it will do again and again, whatever other warps do and however long each instruction takes: what it computes depends
// on its own state and on memory alone. If that holds for every warp of the chip, or it waits at a barrier to which
// none of its block comes any more, memory will never change and no warp will ever end (gpu/livelock.h).
//
// What a warp may see besides ends the watch, too: clocks, and the votes of others at a barrier. Nothing here is
// executed while nobody watches, which is nearly always so.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/state/load_store.h"
#include "sim/state/sm_state.h"

namespace warptime::sim {

class SpinWatch {
 public:
  SpinWatch(const SmState& state, LoadStore& load_store) : state_(&state), load_store_(&load_store) {}

  bool on() const { return on_; }
  /// Whether all stores and atomic operations on their way leave memory as it is.
  bool may_begin() const { return !load_store_->changes_pending(); }
  void begin();
  void end();
  /// Something changed since begin() that warps may depend on.
  bool changed() const { return changed_ || load_store_->changed_memory(); }
  /// Follows these warps from now on.
  void follow(uint64_t slots) { followed_ |= slots; }

  // Events of the SM while it watches:
  /// The warp executed a jump at `from`.
  void jumped(uint32_t slot, uint32_t from) {
    if (((followed_ >> slot) & 1) != 0 && state_->warp(slot).stack.pc() <= from) look(slot, from);
  }
  /// A warp came to a barrier.
  void arrived(uint32_t slot, const Insn& insn) {
    came_ |= state_->block_of(state_->warp(slot)).warps;
    if (insn.barrier().kind > BarrierKind::Arrive) changed_ = true;
  }
  /// A warp did something whose outcome may be another the next time.
  void did_anything() { changed_ = true; }

  /// What is known of a warp.
  enum class Finding : uint8_t { Unknown, Repeats, Waits };
  Finding finding(uint32_t slot) const;
  /// Jumps backwards at which the warp was looked at.
  uint64_t looks(uint32_t slot) const { return seen_.empty() ? 0 : seen_[slot].looks; }
  /// The first and the last instruction of the loop of a warp that repeats.
  struct Loop {
    uint32_t first = 0, last = 0;
  };
  Loop loop(uint32_t slot) const { return seen_[slot].loop; }

 private:
  struct Seen {
    uint64_t looks = 0, next_copy = 1;
    bool repeats = false;
    Loop loop;
    std::vector<std::byte> state;  // at an earlier look
  };
  void look(uint32_t slot, uint32_t from);
  void copy_state(uint32_t slot, std::vector<std::byte>& out);
  bool is_as(uint32_t slot, const std::vector<std::byte>& before);

  const SmState* state_;
  LoadStore* load_store_;
  bool on_ = false, changed_ = false;
  uint64_t followed_ = 0;  // warp slots
  uint64_t came_ = 0;      // warps of blocks of which one came to a barrier
  std::vector<Seen> seen_;
  std::vector<uint32_t> control_;  // of the warp at hand
};

}  // namespace warptime::sim
