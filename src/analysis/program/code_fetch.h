// How long the warps of an SM wait for instructions, which the book's model does not know: every line of the code comes
// from DRAM once, when the launch begins; a loop, or the kernel from block to block, whose code is larger than the SM's
// instruction cache fetches its lines again in every iteration. Warps of an SM run through the code together, so that a
// line is fetched for all of them at once.
//
// Left out: fetches that overlap with other waits, and conflicts in the sets of the caches.
#pragma once

#include <vector>

#include "analysis/program/code_blocks.h"
#include "analysis/program/instruction_cost.h"
#include "sim/model/machine.h"

namespace warptime::analysis {

/// Latencies of a line, cycles, by where it is found.
struct FetchLatency {
  double tpc = 0, partition = 0, dram = 0;
};

/// Cycles of an SM. `warps`: of the launch; `rounds`: how often an SM is filled with warps.
double fetch_cycles(const sim::MachineConfig& machine, const FetchLatency& latency, const ptx::Kernel& kernel,
                    const std::vector<CodeBlock>& blocks, const std::vector<InstructionCost>& costs, double warps,
                    double rounds);

}  // namespace warptime::analysis
