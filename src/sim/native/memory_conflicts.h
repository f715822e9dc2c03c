// What must keep its order in memory: a rule for two instructions of one thread, between which a compiler may choose.
#pragma once

#include "ptx/module.h"

namespace warptime::sim {

/// A load that another one includes (wide_loads.h): nothing is left of it.
bool is_dropped(const ptx::Instruction& instruction);

/// Whether no other instruction may move across it: control flow, barriers, fences, calls and what they pass, volatile
/// accesses and those with a memory order, a reading of the time.
bool is_fixed(const ptx::Kernel& kernel, const ptx::Instruction& instruction);

/// Whether two instructions may access the same bytes, at least one of them changing these. If both have the same base
/// register, its value is taken to be the same: an instruction that changes it between them keeps their order anyway.
bool may_conflict(const ptx::Module& module, const ptx::Kernel& kernel, const ptx::Instruction& a,
                  const ptx::Instruction& b);

}  // namespace warptime::sim
