// Calls of a decoded kernel: which rows a call copies, and what it, a return and brx.idx wait for or choose from.
#pragma once

#include "sim/decode/operand_rows.h"

namespace warptime::sim {

/// The .param variable of a function or call that an operand of ld or st accesses; nullptr: another address.
const ptx::Symbol* passed_variable(const ptx::Kernel& kernel, const ptx::Operand& operand);

/// Fills out.linkages and the control part of the instructions that need one. Rows must be there.
void link_functions(const ptx::Module& module, const ptx::Kernel& kernel, OperandRows& rows, CompiledKernel& out);

}  // namespace warptime::sim
