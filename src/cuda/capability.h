// The compute capability of a machine, by which programs choose their code.
#pragma once

#include <cmath>
#include <cstdint>

#include "sim/model/machine.h"

namespace warptime::cuda {

/// 75 for 7.5.
inline uint32_t capability_of(const sim::MachineConfig& machine) {
  constexpr double kTenths = 10;
  return static_cast<uint32_t>(std::lround(machine.chip.compute_capability * kTenths));
}

}  // namespace warptime::cuda
