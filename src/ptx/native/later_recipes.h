// The native instructions of compute capability 7.0 to 9.0 for a PTX instruction by itself.
#pragma once

#include <string_view>

#include "ptx/module.h"
#include "ptx/native/later_code.h"

namespace warptime::ptx {

/// Its mnemonics; empty: nothing is left of it. "ffma*5" is five of them; "+mov" does not wait for the step before it.
std::string_view later_steps(const Kernel& kernel, const Instruction& instruction, uint32_t capability);

/// An instruction of these steps.
LaterInstruction counted_steps(std::string_view steps);

}  // namespace warptime::ptx
