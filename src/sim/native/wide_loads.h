// Loads of neighbouring words of shared memory become one load of 64 or 128 bits, as NVIDIA's assembler makes them
// where it knows that the address is a multiple of that.
#pragma once

#include "ptx/module.h"

namespace warptime::sim {

/// The first load of a group takes all its words; the others do nothing, but stay what they are for counts of PTX.
void widen_loads(const ptx::Module& module, ptx::Kernel& kernel);

}  // namespace warptime::sim
