// The time of an instruction: how long it occupies its pipe and the warp scheduler, and the cycles until its result.
// Each kind of machine program (`native_cost`) has a function for it, in a file of its own.
#pragma once

#include "ptx/module.h"
#include "sim/exec/insn.h"
#include "sim/model/machine.h"
#include "sim/native/native_insn.h"

namespace warptime::sim {

struct InstructionOfKernel {
  const MachineConfig& machine;
  const ptx::Kernel& kernel;
  const ptx::Instruction& in;            // itself, or the f32 instruction that replaces one of f64
  const ptx::NativeInstruction& native;  // that of a G80 (model/native_code.h)
  const Insn& value;                     // its entry of the value table
};

/// Fills pipe and cycles of `out` and `detail`. Returns how many instructions of the hardware it stands for; 0: it
/// issues together with another.
using SetTime = uint32_t(const InstructionOfKernel& what, NativeInsn& out, NativeDetail& detail);
SetTime& set_time_of(NativeCost cost);

SetTime set_ptx_time;  // each PTX instruction issues as it is
SetTime set_g80_time;  // the native instructions of a G80

}  // namespace warptime::sim
