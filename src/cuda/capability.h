// The compute capability of a machine, of which programs choose their code. Machine files do not state it: it follows
// from what the machine has (CUDA C++ Programming Guide, "Feature Support per Compute Capability").
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "sim/model/machine.h"

namespace warptime::cuda {

struct CapabilityOfFeature {
  ptx::Feature feature;
  uint32_t capability;  // the first that has it
};
inline constexpr std::array kCapabilities{
    CapabilityOfFeature{ptx::Feature::GlobalAtomics, 11}, CapabilityOfFeature{ptx::Feature::SharedAtomics, 12},
    CapabilityOfFeature{ptx::Feature::F64, 13},           CapabilityOfFeature{ptx::Feature::FloatAtomics, 20},
    CapabilityOfFeature{ptx::Feature::Shuffle, 30},       CapabilityOfFeature{ptx::Feature::F16, 53},
    CapabilityOfFeature{ptx::Feature::DoubleAtomics, 60}, CapabilityOfFeature{ptx::Feature::Match, 70},
    CapabilityOfFeature{ptx::Feature::BF16, 80},
};

/// 75 for 7.5.
inline uint32_t capability_of(const sim::MachineConfig& machine) {
  uint32_t capability = 10;
  for (const CapabilityOfFeature& row : kCapabilities)
    if (std::find(machine.features.begin(), machine.features.end(), name_of(row.feature)) != machine.features.end())
      capability = std::max(capability, row.capability);
  return capability;
}

}  // namespace warptime::cuda
