// Assigns addresses in the state spaces to variables.
#pragma once

#include "ptx/module.h"

namespace warptime::ptx {

/// Offsets of .const and .global variables, in order of declaration, each aligned; fills the module's byte counts.
void lay_out_module(Module& module);

/// Offsets of a kernel's .param, .shared and .local variables. Module-scope .shared comes first, the dynamic part last:
/// it begins at static_shared_bytes.
void lay_out_kernel(Kernel& kernel);

}  // namespace warptime::ptx
