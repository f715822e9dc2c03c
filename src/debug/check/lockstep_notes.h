// Code whose correctness depends on how lanes are scheduled. Where they run in lockstep (compute capability up to 6.x):
// lanes of a warp that exchange values through shared memory with nothing between, which is a race on later GPUs.
// Where they are independent: lanes that wait in a loop for a lane of their warp which holds a lock; in lockstep it
// never comes to give it back. Notes only: on the machine of the run both are right.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "debug/check/finding.h"
#include "debug/check/race_clock.h"
#include "debug/check/space_access.h"

namespace warptime::debug {

/// On machines with lanes in lockstep.
class LockstepExchange {
 public:
  explicit LockstepExchange(Findings& findings) : findings_(findings) {}

  void begins(const sim::LaunchContext& launch);
  void starts(const sim::SmState& sm, uint64_t slots);
  void executes(const sim::WarpEvent& event);
  void check(const SpaceAccess& access);
  /// These warps have waited at a barrier.
  void released(const sim::SmState& sm, uint64_t slots);

 private:
  struct Mark {
    uint32_t time = 0;  // 0: there was none
    uint32_t pc = 0;
    uint16_t thread = 0;
  };
  struct Word {
    Mark write;
    std::array<Mark, 2> reads;  // of two lanes
  };
  LaneClocks& lanes(const sim::SmState& sm, uint32_t slot) {
    return lanes_[size_t{sm.index()} * sm.warp_slots() + slot];
  }
  void report(const SpaceAccess& access, uint32_t lane, const Mark& other);

  Findings& findings_;
  const sim::LaunchContext* launch_ = nullptr;
  bool is_on_ = false;
  std::vector<bool> meets_lanes_;         // by instruction: bar.warp.sync
  std::vector<std::vector<Word>> words_;  // by SM and block slot: of each byte of shared memory, of words the first
  std::vector<LaneClocks> lanes_;         // by SM and warp slot
  uint32_t time_ = 1;                     // advances whenever threads have waited for each other
  std::set<std::string> named_;           // variables that have a note
};

/// On machines with independent lanes.
class WarpSpins {
 public:
  explicit WarpSpins(Findings& findings) : findings_(findings) {}

  void begins(const sim::LaunchContext& launch);
  void executes(const sim::WarpEvent& event);

 private:
  /// The loop of a branch back, if it does nothing but try to take a lock.
  struct Loop {
    uint32_t begin = ptx::kNoIndex, lock = 0;  // instructions
  };

  Findings& findings_;
  const sim::LaunchContext* launch_ = nullptr;
  std::vector<Loop> loops_;  // by instruction
};

}  // namespace warptime::debug
