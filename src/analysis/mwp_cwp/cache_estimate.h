// What of a launch's reads caches would serve: a simple estimate, as a functional run has no caches. In a loop whose
// address moves by less than a line from one iteration to the next, the line that one iteration fetched serves the next
// ones, as long as the L1 holds a line for each transaction of every warp, or of every block where the lanes of a warp
// read the same address. Everything else is read from DRAM once for
// each transaction.
//
// Left out: what warps, blocks and SMs share, so the L2.
#pragma once

#include "analysis/mwp_cwp/model_inputs.h"

namespace warptime::analysis {

/// `n`: warps on an SM, `warps_of_block` of a block.
CacheShares cache_estimate(const sim::MachineConfig& machine, const ptx::Kernel& kernel,
                           const std::vector<InstructionCost>& costs, const sim::InstructionRows& rows, double n,
                           double warps_of_block);

/// Cycles that a read spends in the SM's data cache, whether it is there or not.
double hit_latency_in_tpc(const sim::MachineConfig& machine);

}  // namespace warptime::analysis
