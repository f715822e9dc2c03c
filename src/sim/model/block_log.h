// When each block of a launch ran, and on which SM: recorded between the steps of a timed run (gpu/timed_run.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/clock.h"

namespace warptime::sim {

/// One block's stay on an SM.
struct BlockStay {
  uint64_t block = 0;  // linear in the grid
  uint32_t sm = 0;
  uint32_t slot = 0;  // of the SM's resident blocks; another block gets it afterwards
  Cycle begin = 0;    // first cycle at which its warps may issue
  Cycle end = kNever;
};

struct BlockLog {
  // What to record.
  uint64_t launch = 0;  // which of the device's launches

  // What was recorded, in the order in which blocks were assigned.
  std::vector<BlockStay> blocks = {};

  void starts(uint64_t block, uint32_t sm, uint32_t slot, Cycle begin) {
    if (sm >= open_.size()) open_.resize(sm + 1);
    if (slot >= open_[sm].size()) open_[sm].resize(slot + 1);
    open_[sm][slot] = blocks.size();
    blocks.push_back({block, sm, slot, begin, kNever});
  }
  void ends(uint32_t sm, uint32_t slot, Cycle end) { blocks[open_[sm][slot]].end = end; }
  /// The launch is over at this cycle, also for blocks that were still running.
  void close(Cycle at) {
    for (BlockStay& stay : blocks) stay.end = std::min(stay.end, at);
    std::erase_if(blocks, [at](const BlockStay& stay) { return stay.begin >= at; });
  }

 private:
  std::vector<std::vector<size_t>> open_ = {};  // the last block of each SM and slot
};

}  // namespace warptime::sim
