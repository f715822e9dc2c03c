// Finds the kernel parameters that are used only as addresses: a machine with 32-bit addresses and parameters in shared
// memory counts them as 4 bytes, independent of the width of the PTX parameter.
#pragma once

#include "ptx/module.h"

namespace warptime::ptx {

/// Fills kernel.parameter_is_address (parameters marked .ptr are set already). In doubt: false.
void find_address_parameters(const Module& module, Kernel& kernel);

}  // namespace warptime::ptx
