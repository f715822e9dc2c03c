// How many native instructions stand for one PTX instruction. PTX is not what a G80 executes; the recipe for it will
// live here, apart from values and latencies.
#pragma once

#include "ptx/module.h"

namespace warptime::sim {

struct NativeCost {
  uint16_t slots = 1;  // native instructions that the issue port sees
};

/// One for one.
inline NativeCost native_cost(const ptx::Instruction&) { return {}; }

}  // namespace warptime::sim
