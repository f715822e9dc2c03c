// What the warp schedulers of a machine issue for a kernel (`native_cost`): its PTX instructions, or native ones of a
// G80, which PTX says of each instruction (ptx/native/native_code.h).
#pragma once

#include <algorithm>
#include <cstddef>

#include "ptx/module.h"
#include "ptx/native/native_code.h"
#include "sim/model/machine.h"

namespace warptime::sim {

/// They are native ones.
inline bool issues_native(const MachineConfig& machine) {
  switch (machine.native_cost) {
    case NativeCost::g80:
    case NativeCost::g80_rotate: return true;
    case NativeCost::ptx:
    case NativeCost::sm_70:
    case NativeCost::sm_75:
    case NativeCost::sm_80:
    case NativeCost::sm_86:
    case NativeCost::sm_89:
    case NativeCost::sm_90: break;
  }
  return false;
}

/// Ten times the compute capability of the later machine whose native ones they are; 0: they are not.
inline uint32_t later_capability(NativeCost cost) {
  switch (cost) {
    case NativeCost::ptx:
    case NativeCost::g80:
    case NativeCost::g80_rotate: break;
    case NativeCost::sm_70: return 70;
    case NativeCost::sm_75: return 75;
    case NativeCost::sm_80: return 80;
    case NativeCost::sm_86: return 86;
    case NativeCost::sm_89: return 89;
    case NativeCost::sm_90: return 90;
  }
  return 0;
}

/// They are native ones of a machine later than a G80.
inline bool issues_later(const MachineConfig& machine) { return later_capability(machine.native_cost) != 0; }

/// Bytes of so many instructions of the hardware, `shorts` of which have a short form (ptx/native/code_bytes.h).
inline uint32_t code_bytes(const InstructionConfig& config, uint32_t count, uint32_t shorts) {
  return count * config.bytes - shorts * (config.bytes - std::min(config.bytes, config.short_bytes));
}

/// The native ones of an instruction, if they are.
inline ptx::NativeInstruction native_instruction(const MachineConfig& machine, const ptx::Kernel& kernel,
                                                 size_t index) {
  const ptx::NativeInstruction& native = kernel.native.instructions[index];
  return machine.native_cost == NativeCost::g80_rotate ? ptx::with_rotation(native) : native;
}

}  // namespace warptime::sim
