// Unrolls loops that count (counted_loops.h), as NVIDIA's assembler does: four rounds in a row as long as there are
// four, then two, then the loop itself for what is left. A list scheduler then has the loads of four rounds to move.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/module.h"

namespace warptime::sim {

/// Each copy of an instruction is the same PTX instruction, with the same line, and executes only in a round that the
/// loop itself would have executed: the values are those of the loop. But what a step adds up to is added at once, and
/// nothing is done for a counter that is not read. Registers that do not carry a value from one round to the next are
/// others in each copy. Returns, by instruction: that of the kernel before. Blocks and reconvergence points are up to
/// date afterwards, what else follows from the instructions is not.
std::vector<uint32_t> unroll_loops(const ptx::Module& module, ptx::Kernel& kernel);

}  // namespace warptime::sim
