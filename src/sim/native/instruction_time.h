// The time of an instruction: how long it occupies its pipe and the warp scheduler, and the cycles until its result. It
// is that of the PTX instruction or of its native instructions (`native_cost: g80`, `g80_rotate`).
#pragma once

#include "ptx/module.h"
#include "sim/exec/insn.h"
#include "sim/model/machine.h"
#include "sim/native/native_insn.h"

namespace warptime::sim {

/// Fills pipe and cycles of `out` and `detail`; `value` is the instruction's entry of the value table. `in` may be the
/// f32 instruction that replaces one of f64. Returns how many instructions of the hardware it stands for; 0: it issues
/// together with another.
uint32_t set_time(const MachineConfig& machine, const ptx::Kernel& kernel, const ptx::Instruction& in,
                  const ptx::NativeInstruction& recipe, const Insn& value, NativeInsn& out, NativeDetail& detail);

}  // namespace warptime::sim
