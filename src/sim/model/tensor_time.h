// How long a product of matrices occupies a tensor core, and when its result may be used. What was measured on an H200
// for mma.sync of all shapes and types (docs/matrix-instructions.md) follows one rule: time grows with multiply-adds
// times the bits of an element, that of f64 with multiply-adds.
#pragma once

#include <cstdint>

#include "ptx/module.h"
#include "sim/model/machine.h"

namespace warptime::sim {

struct TensorTime {
  uint32_t pipe_cycles = 0;
  uint32_t latency = 0;  // cycles from issue to a usable result
};
/// The time of an instruction whose unit is ptx::Unit::Tensor.
TensorTime tensor_time(const MachineConfig& machine, const ptx::Kernel& kernel, const ptx::Instruction& in);

}  // namespace warptime::sim
