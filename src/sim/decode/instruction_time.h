// What an instruction occupies, and for how long: its pipe, the warp scheduler, the cycles until its result. By the PTX
// instruction itself, or by the native ones that stand for it (`native_cost: g80`, `g80_rotate`).
#pragma once

#include "ptx/module.h"
#include "sim/exec/insn.h"
#include "sim/model/machine.h"

namespace warptime::sim {

/// Fills the part of `out` that is about time; effect and space must be there. `in` may be the f32 instruction that
/// stands for an f64 one.
void set_time(const MachineConfig& machine, const ptx::Kernel& kernel, const ptx::Instruction& in,
              const ptx::NativeInstruction& native, Insn& out);

}  // namespace warptime::sim
