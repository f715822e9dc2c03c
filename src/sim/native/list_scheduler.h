// The order in which a machine's compiler would have the instructions of a kernel issue (`native.schedule: list`). In
// each basic block, of the instructions that may come next, the one goes first from which the longest chain of
// latencies leads to the block's end; so loads go early, and what needs them late (list scheduling: Muchnick, Advanced
// Compiler Design and Implementation, 17.1). Nothing moves across a block's edge or a fixed instruction
// (memory_conflicts.h).
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/module.h"
#include "sim/model/machine.h"

namespace warptime::sim {

/// The kernel's instructions in that order, by number. Code of device functions keeps its own.
std::vector<uint32_t> list_order(const MachineConfig& machine, const ptx::Module& module, const ptx::Kernel& kernel);

}  // namespace warptime::sim
