// The time of an instruction: how long it occupies its pipe and the warp scheduler, and the cycles until its result. It
// is that of the PTX instruction or of its native instructions (`native_cost: g80`, `g80_rotate`).
#pragma once

#include "ptx/module.h"
#include "sim/exec/insn.h"
#include "sim/model/machine.h"

namespace warptime::sim {

/// Fills the timing members of `out`; effect and space must be set. `in` may be the f32 instruction that replaces an
/// f64 one.
void set_time(const MachineConfig& machine, const ptx::Kernel& kernel, const ptx::Instruction& in,
              const ptx::NativeInstruction& native, Insn& out);

}  // namespace warptime::sim
