// How busy each shared resource (model/resource.h) was, from what its units counted.
#pragma once

#include "sim/gpu/chip_counters.h"
#include "sim/model/machine.h"
#include "sim/model/resource.h"

namespace warptime::sim {

/// Of `cycles` shader cycles of the whole chip.
ResourceUses resource_uses(const MachineConfig& machine, const ChipCounters& counters, Cycle cycles);

}  // namespace warptime::sim
