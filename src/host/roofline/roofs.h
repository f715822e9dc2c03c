// The roofs of a machine (Williams, Waterman, Patterson 2009) from its parameters: the largest rates of its units and
// memories, and lower ceilings that a program meets without coalescing, or without enough warps. The page of `warptime
// report` and `warptime roofline` both take them from here.
#pragma once

#include <string>
#include <vector>

#include "sim/model/machine.h"

namespace warptime::host {

struct Roof {
  enum class Kind : uint8_t { Peak, Ceiling };
  Kind kind = Kind::Peak;
  std::string name;
  double rate = 0;   // GFLOP/s, or GB/s
  std::string from;  // how it follows from the parameters
};

/// GFLOP/s; the first one is the peak in f32.
std::vector<Roof> compute_roofs(const sim::MachineConfig& machine);
/// GB/s; the first one is the peak of DRAM.
std::vector<Roof> bandwidth_roofs(const sim::MachineConfig& machine);

}  // namespace warptime::host
