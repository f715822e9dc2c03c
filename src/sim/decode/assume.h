// Marks the decoded instructions that a what-if frees of a cost (model/assumptions.h).
#pragma once

#include "sim/decode/compiled_kernel.h"
#include "sim/model/assumptions.h"

namespace warptime::sim {

/// The fast paths for whole warps of words do not look at the marks, so marked instructions leave them.
void assume(const Assumptions& assumptions, CompiledKernel& kernel);

}  // namespace warptime::sim
