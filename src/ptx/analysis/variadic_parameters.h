// Parameters of unspecified size (".param .align 8 .b8 list[]", PTX ISA 9.0, 7.2), for which each call passes any
// number of bytes.
#pragma once

#include "ptx/module.h"

namespace warptime::ptx {

/// Gives every such argument the size of the largest list that a call of the module may pass to it.
void size_variadic_parameters(Module& module);

}  // namespace warptime::ptx
