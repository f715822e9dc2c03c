// How many registers a linear scan gives to a kernel's native values: in the order in which they begin, each value
// takes the first register that nothing else needs at any time at which it is live (linear scan with lifetime holes:
// Traub, Holloway and Smith, Quality and Speed in Linear-scan Register Allocation, PLDI 1998). Left out: spilling, and
// that the words of a vector load or a texture fetch are in registers that follow each other.
#pragma once

#include <vector>

#include "ptx/analysis/liveness.h"

namespace warptime::ptx {

/// A value that no register of the PTX holds: what an instruction computes on its way. It is there when `first` reads
/// its operands, until `last` has read them.
struct PassingValue {
  uint32_t first = 0, last = 0;
};

/// 32-bit registers per thread. A result may take the register of a source that ends there; one of 64 bits begins with
/// an even register (envytools).
uint32_t scan_registers(const Kernel& kernel, const RegisterPressure& pressure,
                        const std::vector<PassingValue>& passing);

}  // namespace warptime::ptx
