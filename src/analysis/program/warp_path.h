// The data-dependence graph of a kernel as an average warp walks it: each instruction after the results that it reads.
// A block begins with what is on its way at the end of the block from which most executions come, so that a loop's
// iterations overlap as they do in its steady state.
//
// Left out: dependences through memory, and correlation between branches.
#pragma once

#include <functional>
#include <vector>

#include "analysis/program/code_blocks.h"
#include "analysis/program/instruction_cost.h"

namespace warptime::analysis {

struct WarpPath {
  std::vector<double> cycles;    // by instruction: from the end of the one before it, per execution
  std::vector<double> of_block;  // the same of blocks
};

/// In the order of the program, one warp alone on its SM: an instruction waits for its operands and for its pipe.
/// `latency(i)`: cycles from issue to the result.
WarpPath in_order_path(const ptx::Kernel& kernel, const std::vector<CodeBlock>& blocks,
                       const std::vector<InstructionCost>& costs, const std::function<double(uint32_t)>& latency);

/// The longest chain of dependent instructions: any number at once, each one step; branches and barriers decide what
/// comes behind them.
WarpPath dependence_path(const ptx::Kernel& kernel, const std::vector<CodeBlock>& blocks,
                         const std::vector<InstructionCost>& costs);

/// Cycles of all blocks, by their executions, for each of so many warps.
double cycles_per_warp(const WarpPath& path, const std::vector<CodeBlock>& blocks, double warps);

/// A load of global memory or a texture fetch and the first instruction that reads its result.
struct LoadUse {
  uint32_t load, use;
};
std::vector<LoadUse> first_uses(const ptx::Kernel& kernel, const std::vector<CodeBlock>& blocks,
                                const std::vector<InstructionCost>& costs);

}  // namespace warptime::analysis
