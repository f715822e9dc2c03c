// Selects one of the eligible warps of a warp scheduler: the policies of `issue.policy`. A selection takes a few host
// instructions.
//
// two_level follows Narasiman et al., MICRO 2011: warps form groups, and one group has priority, so that groups reach
// their memory accesses at different times. When all of its warps wait for memory (or a barrier), priority passes to
// the next group; while some only wait for arithmetic, warps of other groups issue, but priority does not change.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "sim/model/machine.h"

namespace warptime::sim {

class WarpPicker {
 public:
  /// For sub-core `sub_core`, whose warps are `sub_core`, `sub_core` + sub-cores, ...
  WarpPicker(const IssueConfig& issue, uint32_t sub_core) : policy_(issue.policy), last_(63) {
    for (uint32_t warp = sub_core, member = 0; warp < 64; warp += issue.ports, ++member) {
      if (member % issue.group_warps == 0) groups_.push_back(0);
      groups_.back() |= uint64_t{1} << warp;
    }
  }

  /// A warp begins; later ones are younger.
  void started(uint32_t warp) { age_[warp] = next_age_++; }

  /// One of the warps in `eligible` (not empty). `away`: warps that wait for memory or a barrier, and empty slots.
  uint32_t choose(uint64_t eligible, uint64_t away) {
    if (policy_ == WarpPolicy::round_robin) [[likely]]
      return after_last(eligible);
    switch (policy_) {
      case WarpPolicy::round_robin: break;
      case WarpPolicy::greedy_then_oldest: return ((eligible >> last_) & 1) != 0 ? last_ : oldest(eligible);
      case WarpPolicy::oldest_first: return oldest(eligible);
      case WarpPolicy::two_level: return after_last(of_first_group(eligible, away));
    }
    return last_;
  }
  /// The selected warp issues.
  void issues(uint32_t warp) { last_ = warp; }
  uint32_t pick(uint64_t eligible, uint64_t away) {
    issues(choose(eligible, away));
    return last_;
  }

 private:
  uint64_t of_first_group(uint64_t eligible, uint64_t away) {
    for (size_t i = 0; i < groups_.size() && (groups_[group_] & ~away) == 0; ++i)
      group_ = (group_ + 1) % groups_.size();
    size_t group = group_;
    while ((groups_[group] & eligible) == 0) group = (group + 1) % groups_.size();
    return groups_[group] & eligible;
  }
  uint32_t after_last(uint64_t eligible) const {
    // Bits last_ + 1 .. 63 first, then from 0.
    uint64_t later = eligible & (~uint64_t{1} << last_);
    return static_cast<uint32_t>(std::countr_zero(later != 0 ? later : eligible));
  }
  uint32_t oldest(uint64_t eligible) const {
    auto best = static_cast<uint32_t>(std::countr_zero(eligible));
    for (uint64_t rest = eligible & (eligible - 1); rest != 0; rest &= rest - 1) {
      auto warp = static_cast<uint32_t>(std::countr_zero(rest));
      if (age_[warp] < age_[best]) best = warp;
    }
    return best;
  }

  WarpPolicy policy_;
  uint32_t last_;  // at first 63, so that warp 0 is the first
  std::vector<uint64_t> groups_;
  size_t group_ = 0;  // the one with priority
  uint64_t next_age_ = 0;
  std::array<uint64_t, 64> age_{};

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive.index(last_, age_.size());
    archive(group_, next_age_, age_);
    archive.expect(group_ == 0 || group_ < groups_.size());
  }
};

}  // namespace warptime::sim
