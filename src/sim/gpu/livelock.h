// Checks periodically whether a launch will never end: whether all its warps repeat themselves, or wait at barriers,
// while memory does not change (state/spin_watch.h explains why this continues for ever). A program that ends is never
// reported: any event that may still change state makes the check inconclusive.
//
// At first one warp is watched; the others only when it repeats itself. If a warp does not repeat itself within a
// number of backward branches, the watch ends; the next one begins with this warp, later, and lasts longer.
#pragma once

#include <string>
#include <vector>

#include "sim/gpu/wait_chain.h"
#include "sim/state/spin_watch.h"

namespace warptime::sim {

class Livelock {
 public:
  struct Watched {
    const SmState* state;
    SpinWatch* watch;
  };
  /// `spacing`: between watches, in cycles or, in functional runs, instructions.
  explicit Livelock(uint64_t spacing) : shortest_spacing_(spacing), spacing_(spacing), next_(spacing) {}

  /// An SM, before its first block.
  void add(Watched sm) {
    sms_.push_back(sm);
    disturbed();
  }

  /// When look() must be called next; at once during a watch.
  uint64_t next() const { return next_; }
  /// Between rounds or steps: true if no state can ever change.
  bool look(uint64_t now);
  /// Blocks have ended, and others may begin.
  void disturbed() { disturbed_ = true; }

  /// Lines "block (0,0,0) warp 0: repeats PTX lines 6-8, polls 0x10000 (line 6)", the first few (WarpLines).
  std::string who_repeats() const;
  /// What repeats, as one chain of who waits for whom.
  WaitChain chain(BlocksLeft left) const;

 private:
  struct Place {
    size_t sm = 0;
    uint32_t warp = 0;
    uint32_t generation = 0;

    template <class Archive>
    void serialize(Archive& archive) {
      archive(sm, warp, generation);
    }
  };
  bool is_changed() const;
  void begin(uint64_t now);
  void stop(uint64_t now);
  void stop_in_vain(uint64_t now);
  bool choose(Place from);
  bool one_repeats(uint64_t now);
  bool all_repeat(uint64_t now);

  std::vector<Watched> sms_;
  uint64_t shortest_spacing_, spacing_;
  uint64_t next_;
  uint64_t most_looks_ = kFewestLooks;
  bool watching_ = false, disturbed_ = false;
  bool all_ = false;  // are watched
  Place first_;       // the warp that is watched first

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive(spacing_, next_, most_looks_, watching_, disturbed_, all_, first_);
    archive.expect(first_.sm == 0 || first_.sm < sms_.size());
    archive.expect(first_.warp < archive.limits.warps || (!watching_ && first_.warp == archive.limits.warps));
  }

  static constexpr uint64_t kFewestLooks = 1 << 13, kMostLooks = 1 << 16;
};

}  // namespace warptime::sim
