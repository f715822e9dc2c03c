// Runs one instruction form on many values: lets the front end and the decoder make instructions of every spelling, and
// runs their handlers warp by warp on every host instruction set, with full and with partial masks. What the handler
// leaves behind must be the whole state expected: the destination's lanes of the mask as the reference says, every
// other byte as it was.
#pragma once

#include <vector>

#include "cases.h"
#include "sim/exec/compiled_kernel.h"

namespace warptime::sim {

/// Runs a form's cases with all values; fails the current test on the first difference of each case. `density` thins
/// the tuples of values: 1 takes all. Returns how many warps were run.
size_t run_cases(const std::vector<Case>& cases, bool legacy, uint32_t density);

}  // namespace warptime::sim
