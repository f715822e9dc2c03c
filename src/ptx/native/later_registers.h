// General registers per thread on machines of compute capability 2.0 and later, which have no recipes here. Their
// instructions read one operand from constant memory (CUDA Binary Utilities 5.5, 4.2), where the kernel's parameters
// are (CUDA C Programming Guide 4.2, B.1.4); they have no operands in shared memory, no address registers, and
// addresses of 64 bits.
#pragma once

#include "ptx/module.h"

namespace warptime::ptx {

/// What native_registers() counts, by these rules; of a function, what it adds to those of its caller.
uint32_t later_registers(const Kernel& kernel);

/// General registers per thread of a kernel with native code (Kernel::later). A part of another instruction needs no
/// register for its result, but its sources are needed until that one; values that are alike for the warp are in
/// uniform registers, of which there are 63 besides.
uint32_t registers_of_later_code(const Kernel& kernel);
struct RegisterPressure;
/// What it is derived from.
RegisterPressure later_pressure(const Kernel& kernel);
/// The stack pointer (R1), and what the assembler uses beyond the most live values. Fitted to the counts of ptxas 13.0
/// (docs/native-cost.md).
inline constexpr uint32_t kBesidePressure = 3;

}  // namespace warptime::ptx
