// Detects whether an SM's warps repeat themselves for ever. During a watch, memory must not change: stores and atomic
// operations may only write values that memory already has; any other one ends the watch. If a warp has the same
// registers, predicates and control flow at two backward branches, it will repeat the instructions between them for
// ever, independent of other warps and of time, because its computation depends only on its own state and on memory. If
// this holds for every warp of the chip, or the warp waits at a barrier at which no warp of its block arrives any more,
// memory will never change and no warp will ever end (gpu/livelock.h).
//
// Other inputs of a warp also end the watch: clocks, and the votes of other warps at a barrier. Without a watch, which
// is nearly always, no code of this class is executed.
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
  /// Whether all outstanding stores and atomic operations leave memory unchanged.
  bool may_begin() const { return !load_store_->changes_pending() && !state_->async().any_arrival(); }
  void begin();
  void end();
  /// An input of warps has changed since begin().
  bool changed() const { return changed_ || load_store_->changed_memory(); }
  /// Watches these warps from now on.
  void follow(uint64_t slots) { followed_ |= slots; }

  // Events of the SM during a watch:
  /// The warp executed a branch at `from`.
  void jumped(uint32_t slot, uint32_t from) {
    if (((followed_ >> slot) & 1) != 0 && state_->warp(slot).stack.pc() <= from) look(slot, from);
  }
  /// A warp arrived at a barrier.
  void arrived(uint32_t slot, const Insn& insn) {
    came_ |= state_->block_of(state_->warp(slot)).warps;
    if (insn.barrier().kind > BarrierKind::Arrive) changed_ = true;
  }
  /// A warp executed an instruction whose result may differ the next time.
  void did_anything() { changed_ = true; }

  /// The result for a warp.
  enum class Finding : uint8_t { Unknown, Repeats, Waits };
  Finding finding(uint32_t slot) const;
  /// Number of backward branches at which the warp was compared.
  uint64_t looks(uint32_t slot) const { return seen_.empty() ? 0 : seen_[slot].looks; }
  /// The first and the last instruction of the loop of a warp that repeats.
  struct Loop {
    uint32_t first = 0, last = 0;

    template <class Archive>
    void serialize(Archive& archive) {
      archive(first, last);
    }
  };
  Loop loop(uint32_t slot) const { return seen_[slot].loop; }

 private:
  struct Seen {
    uint64_t looks = 0, next_copy = 1;
    bool repeats = false;
    Loop loop;
    std::vector<std::byte> state;  // at an earlier backward branch

    template <class Archive>
    void serialize(Archive& archive) {
      uint64_t bytes = state.size();
      archive(looks, next_copy, repeats, loop, bytes);
      if constexpr (Archive::kRestores) {
        archive.expect(bytes / Archive::kPart <= archive.left());
        state.resize(bytes);
      }
      archive.bytes(state);
    }
  };
  void look(uint32_t slot, uint32_t from);
  void copy_state(uint32_t slot, std::vector<std::byte>& out);
  bool is_as(uint32_t slot, const std::vector<std::byte>& before);

  const SmState* state_;
  LoadStore* load_store_;
  bool on_ = false, changed_ = false;
  uint64_t followed_ = 0;  // mask of warp slots
  uint64_t came_ = 0;      // warps of blocks with a warp that arrived at a barrier
  std::vector<Seen> seen_;
  std::vector<uint32_t> control_;  // of the current warp

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive(on_, changed_, followed_, came_, seen_);
    archive.expect(seen_.size() == state_->warp_slots() || (seen_.empty() && !on_));
  }
};

}  // namespace warptime::sim
