// The use of each shared resource (model/resource.h), computed from the counters of its units.
#pragma once

#include "sim/gpu/chip_counters.h"
#include "sim/model/machine.h"
#include "sim/model/resource.h"

namespace warptime::sim {

/// For `cycles` shader cycles of the whole chip.
ResourceUses resource_uses(const MachineConfig& machine, const ChipCounters& counters, Cycle cycles);

/// The busy share of each resource's units, in the order of the table.
BusyByUnit busy_by_unit(const MachineConfig& machine, const ChipCounters& counters, Cycle cycles);

}  // namespace warptime::sim
