// Recursive functions of a decoded kernel: the values that a call must save.
#pragma once

#include "sim/decode/compiled_kernel.h"

namespace warptime::sim {

/// out.recursions, one for each function of a cycle, in the kernel's order: rows and predicates.
void add_recursions(const ptx::Kernel& kernel, CompiledKernel& out);
/// The index of a function in out.recursions.
uint32_t recursion_of(const ptx::Kernel& kernel, const ptx::LinkedFunction& function);
/// Fills out.addresses and the local memory per thread, after all rows have been assigned.
void lay_out_recursions(const ptx::Kernel& kernel, CompiledKernel& out);

}  // namespace warptime::sim
