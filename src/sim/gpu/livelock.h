// Looks now and then whether a launch will ever end: whether all its warps repeat themselves, or wait at barriers,
// while no memory changes (state/spin_watch.h says why that is for ever). A program that ends is never taken for one
// that does not: what may still change anything leaves the question open.
//
// At first one warp is followed. Only when it repeats itself are the others, too. A warp that does not repeat itself
// within a number of turns ends the watch, and the next one begins with it, later, and lasts longer.
#pragma once

#include <string>
#include <vector>

#include "sim/state/spin_watch.h"

namespace warptime::sim {

class Livelock {
 public:
  struct Watched {
    const SmState* state;
    SpinWatch* watch;
  };
  /// `spacing`: of watches, in what the run counts its progress in.
  explicit Livelock(uint64_t spacing) : shortest_spacing_(spacing), spacing_(spacing), next_(spacing) {}

  /// An SM, before its first block.
  void add(Watched sm) {
    sms_.push_back(sm);
    disturbed();
  }

  /// When look() has something to do; at once while somebody watches.
  uint64_t next() const { return next_; }
  /// Between rounds or steps: true if nothing can ever change.
  bool look(uint64_t now);
  /// Blocks have ended, and others may begin.
  void disturbed() { disturbed_ = true; }

  /// Lines "block (0,0,0) warp 0: repeats PTX lines 6-8, polls 0x10000 (line 6)", as many as are left.
  std::string who_repeats(size_t* lines_left) const;

 private:
  struct Place {
    size_t sm = 0;
    uint32_t warp = 0;
    uint32_t generation = 0;
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
  bool all_ = false;  // are followed
  Place first_;       // who is followed first

  static constexpr uint64_t kFewestLooks = 1 << 13, kMostLooks = 1 << 16;
};

}  // namespace warptime::sim
