// Where the lanes that part at a branch meet again: at the join of the paths that go on. A path that ends in an exit, a
// trap or a call that never returns does not keep the others from meeting, as in native code.
#pragma once

#include <vector>

#include "ptx/module.h"

namespace warptime::ptx {

/// What a basic block does besides going on to its successors.
struct BlockFacts {
  bool never_ends = false;      // it calls a function that never returns
  bool may_meet_block = false;  // a barrier, or a call of code that may have one
};

/// Fills Instruction::reconvergence of every branch that may part a warp. The kernel has its blocks, and `facts` are of
/// them.
void find_reconvergence(Kernel& kernel, const std::vector<BlockFacts>& facts);

}  // namespace warptime::ptx
