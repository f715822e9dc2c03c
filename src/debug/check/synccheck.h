// synccheck: barriers and .sync instructions that not all of their threads reach. An aligned barrier (bar) is reached
// by all lanes of a warp, at one place; one for the whole block is not for blocks of which threads have exited; a
// member mask names the lanes that execute the instruction, and none that has exited or exits while others wait for it.
#pragma once

#include <vector>

#include "debug/check/finding.h"

namespace warptime::debug {

class Synccheck {
 public:
  explicit Synccheck(Findings& findings) : findings_(findings) {}

  /// Whether the launch has .sync instructions that compute lanes.
  bool needs_all_instructions() const { return has_masks_; }
  void begins(const sim::LaunchContext& launch);
  void starts(const sim::SmState& sm, uint64_t slots);
  void executes(const sim::WarpEvent& event);
  void arrived(const sim::WarpEvent& event, const sim::SmState::Arrival& arrival);
  void exits(const sim::WarpEvent& event);
  void exited(const sim::WarpEvent& event, const sim::SmState::Exited& exited);
  /// A deadlock gets a place, and says who waits for whom.
  void explain(Finding& deadlock) const;

 private:
  /// Lanes that wait for the others of their member mask.
  struct Waiting {
    uint32_t pc, mask, arrived;
  };

  /// Lanes at an aligned barrier, where lanes are scheduled independently: the others may still come to it.
  struct Parked {
    uint32_t pc, lanes;
  };

  void barrier(const sim::WarpEvent& event);
  void divergent(const sim::WarpEvent& event, uint32_t pc, uint32_t lanes, uint32_t others);
  void member_mask(const sim::WarpEvent& event);
  void forget_parked(const sim::SmState& sm, uint64_t slots);
  void released(const sim::WarpEvent& event, uint64_t slots);
  void mask_names_exited(const sim::WarpEvent& event, uint32_t pc, uint32_t mask, uint32_t lane, uint32_t exited);
  size_t index_of(const sim::WarpEvent& event) const {
    return size_t{event.sm.index()} * event.sm.warp_slots() + event.slot;
  }

  Findings& findings_;
  const sim::LaunchContext* launch_ = nullptr;
  bool has_masks_ = false;
  std::vector<bool> is_divergent_;             // by barrier: whether that was found
  std::vector<bool> is_aligned_;               // by instruction
  std::vector<const sim::SmState*> sms_;       // that have had a block
  std::vector<std::vector<Parked>> parked_;    // by SM and warp slot
  std::vector<std::vector<Waiting>> waiting_;  // by SM and warp slot
};

}  // namespace warptime::debug
