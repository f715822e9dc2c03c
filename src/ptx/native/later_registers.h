// General registers per thread on machines of compute capability 2.0 and later, which have no recipes here. Their
// instructions read one operand from constant memory (CUDA Binary Utilities 5.5, 4.2), where the kernel's parameters
// are (CUDA C Programming Guide 4.2, B.1.4); they have no operands in shared memory, no address registers, and
// addresses of 64 bits.
#pragma once

#include "ptx/module.h"

namespace warptime::ptx {

/// What native_registers() counts, by these rules; of a function, what it adds to those of its caller.
uint32_t later_registers(const Kernel& kernel);

}  // namespace warptime::ptx
