// Functions of a decoded kernel that may be active several times in one thread: what a call has to put by.
#pragma once

#include "sim/decode/compiled_kernel.h"

namespace warptime::sim {

/// out.recursions, one for each function of a cycle, in the kernel's order: rows and predicates.
void add_recursions(const ptx::Kernel& kernel, CompiledKernel& out);
/// The index of one in them.
uint32_t recursion_of(const ptx::Kernel& kernel, const ptx::LinkedFunction& function);
/// What out.addresses says about them, and the local memory of a thread. When all rows are there.
void lay_out_recursions(const ptx::Kernel& kernel, CompiledKernel& out);

}  // namespace warptime::sim
