// Basic blocks and immediate post-dominators, at which the threads of a warp that diverge at a branch reconverge (Fung
// 2007, section 3). An endless loop, from which the kernel's end cannot be reached, gets an artificial exit at its last
// block, so that branches inside it still reconverge.
#pragma once

#include "ptx/module.h"

namespace warptime::ptx {

/// Fills kernel.blocks and Instruction::reconvergence of every branch that may part a warp. Of a device function the
/// end is its return.
void build_control_flow(Kernel& kernel);

/// The block that holds an instruction.
uint32_t block_of(const Kernel& kernel, uint32_t instruction);

}  // namespace warptime::ptx
