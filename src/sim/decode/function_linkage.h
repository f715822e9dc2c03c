// Calls of a decoded kernel: the rows that a call copies, the scoreboard slots of a call, a return and brx.idx, and
// their targets.
#pragma once

#include "sim/decode/operand_rows.h"

namespace warptime::sim {

/// The .param variable of a function or call that an operand of ld or st accesses; nullptr: another address.
const ptx::Symbol* passed_variable(const ptx::Kernel& kernel, const ptx::Operand& operand);

/// Fills out.linkages and the control part of the instructions that need one. Rows must have been assigned.
void link_functions(const ptx::Module& module, const ptx::Kernel& kernel, OperandRows& rows, CompiledKernel& out);

}  // namespace warptime::sim
