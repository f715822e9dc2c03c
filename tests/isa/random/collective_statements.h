// Statements of lanes that come together: votes, shuffles, matches and reductions of the lanes of a mask; barriers of
// the block with what they reduce, and words that threads hand each other.
#pragma once

#include "operations.h"

namespace warptime::sim {

/// Executed by exactly the lanes of `mask`, a register.
std::string warp_collective(Operations& operations, SplitMix64& random, const std::string& mask);

/// Executed by all threads of a block that have not ended.
struct BlockTogether {
  uint32_t number;   // of this statement, for its labels
  uint32_t threads;  // of the block
  bool all_there;    // none has ended: who ended has no say in a reduction, and is missed where threads are counted
};
std::string block_collective(Operations& operations, SplitMix64& random, const BlockTogether& block);

}  // namespace warptime::sim
