// Parameters of device functions whose address is taken. As in PTX ISA 9.0, 9.7.9.3 (mov), "the parameter will be
// copied onto the stack and the address will be in the local state space".
#pragma once

#include "ptx/module.h"

namespace warptime::ptx {

/// Gives every such parameter of the function a variable in local memory, which instructions at the function's start
/// fill and all others use in its place. Labels move along. Before control flow is known.
void keep_addressed_parameters(Kernel& function);

}  // namespace warptime::ptx
