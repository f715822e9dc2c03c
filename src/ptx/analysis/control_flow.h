// Basic blocks, and with reconvergence.h where the threads of a warp that diverge at a branch reconverge.
#pragma once

#include <vector>

#include "ptx/module.h"

namespace warptime::ptx {

/// What a call of a device function may do besides coming back.
struct FunctionFacts {
  bool never_returns = false;   // no path leaves it by a return
  bool may_meet_block = false;  // it has a barrier, or calls code that may have one
};

/// The facts of all functions of the module, by index.
std::vector<FunctionFacts> find_function_facts(const Module& module);

/// Fills kernel.blocks and Instruction::reconvergence of every branch that may part a warp. Of a device function the
/// end is its return.
void build_control_flow(const std::vector<FunctionFacts>& functions, Kernel& kernel);

/// The block that holds an instruction.
uint32_t block_of(const Kernel& kernel, uint32_t instruction);

}  // namespace warptime::ptx
