// Assigns the blocks of a grid to SMs, one at a time: at the start in the machine's order until the SMs are full, then
// one for each block that ends. It works between steps, on events in (cycle, SM) order, so its decisions do not depend
// on host threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "sim/core/sm.h"
#include "sim/model/machine.h"

namespace warptime::sim {

struct Placement {
  uint64_t block = 0;  // linear index in the grid
  uint32_t sm = 0;
  uint32_t slot = 0;  // on the SM
  Cycle start = 0;    // first cycle at which its warps may issue

  template <class Archive>
  void serialize(Archive& archive) {
    archive(block);
    archive.index(sm, archive.limits.sms);
    archive.index(slot, archive.limits.blocks);
    archive(start);
  }
};

class BlockScheduler {
 public:
  /// `chosen` empty: all `grid_blocks`, in order.
  BlockScheduler(const ChipConfig& chip, uint64_t grid_blocks, std::span<const uint64_t> chosen, uint32_t blocks_per_sm)
      : chip_(chip),
        chosen_(chosen),
        total_(chosen.empty() ? grid_blocks : chosen.size()),
        blocks_per_sm_(blocks_per_sm) {}

  /// Calls place(Placement) for the blocks that start the launch.
  template <class Place>
  void first_blocks(Place&& place) {
    uint32_t sms = chip_.tpcs * chip_.sms_per_tpc;
    for (uint32_t round = 0; round < blocks_per_sm_; ++round)
      for (uint32_t i = 0; i < sms && next_ < total_; ++i) hand_out(first_sm(i), round, 0, place);
  }

  /// Calls place(Placement) for the blocks that follow the ones that ended; sorts `ended`.
  template <class Place>
  void next_blocks(std::vector<BlockEnd>& ended, Place&& place) {
    std::sort(ended.begin(), ended.end(), [](const BlockEnd& a, const BlockEnd& b) {
      return std::tie(a.cycle, a.sm, a.slot) < std::tie(b.cycle, b.sm, b.slot);
    });
    for (const BlockEnd& end : ended) {
      ++finished_;
      if (next_ < total_) hand_out(end.sm, end.slot, end.cycle, place);
    }
  }

  bool all_finished() const { return finished_ == total_; }
  uint64_t finished() const { return finished_; }
  uint64_t handed_out() const { return next_; }
  uint64_t total() const { return total_; }
  /// The next one to be handed out, if one is left.
  uint64_t next_block() const { return next_ < total_ && !chosen_.empty() ? chosen_[next_] : next_; }

 private:
  /// SMs of TPC t are numbered t * sms_per_tpc and up.
  uint32_t first_sm(uint32_t i) const {
    if (chip_.block_order == BlockOrder::sm_first) return i;
    return i % chip_.tpcs * chip_.sms_per_tpc + i / chip_.tpcs;
  }

  template <class Place>
  void hand_out(uint32_t sm, uint32_t slot, Cycle free_at, Place&& place) {
    Cycle at = std::max(free_at, port_free_);
    port_free_ = at + chip_.block_interval_cycles;
    uint64_t block = chosen_.empty() ? next_ : chosen_[next_];
    ++next_;
    place(Placement{block, sm, slot, at + chip_.block_launch_cycles});
  }

  ChipConfig chip_;
  std::span<const uint64_t> chosen_;
  uint64_t total_;
  uint64_t next_ = 0;
  uint64_t finished_ = 0;
  uint32_t blocks_per_sm_;
  Cycle port_free_ = 0;

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive(next_, finished_, port_free_);
    archive.expect(finished_ <= next_ && next_ <= total_);
  }
};

}  // namespace warptime::sim
