// Which kernel parameters are nothing but addresses: a machine with 32-bit addresses counts those as 4 bytes where
// parameters cost shared memory, whatever the width of the PTX parameter.
#pragma once

#include "ptx/module.h"

namespace warptime::ptx {

/// Fills kernel.parameter_is_address (parameters marked .ptr are set already). In doubt: false.
void find_address_parameters(const Module& module, Kernel& kernel);

}  // namespace warptime::ptx
