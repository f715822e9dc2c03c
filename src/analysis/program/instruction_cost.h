// What one execution of a PTX instruction costs a machine, from the machine file and the native instructions alone:
// cycles of the warp scheduler and of the pipes, and the latency of its result. Written from the rules of
// docs/machine-model.md and docs/native-cost.md, not from the simulator, whose second opinion the models are.
//
// Left out: bank conflicts and divergent constant addresses (the models count them apart), queues, caches of
// instructions.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/module.h"
#include "sim/model/machine.h"

namespace warptime::analysis {

/// The nodes of work flow graphs tell these apart.
enum class Work : uint8_t { Compute, Shared, Load, Store, Atomic, Texture, Barrier };
constexpr bool is_global(Work work) { return work >= Work::Load && work <= Work::Texture; }

struct InstructionCost {
  Work work = Work::Compute;
  double insts = 1;                            // native instructions, without special functions
  double specials = 0;                         // special functions among them
  double issue = 0;                            // cycles of the warp scheduler
  double sp = 0, sfu = 0, dp = 0, tensor = 0;  // cycles of one group of the pipe
  double port = 0;                             // cycles of the SM's memory port for accesses on chip
  double latency = 0;                          // cycles from issue to the result; of Work::Load and the like 0
  double next = 0;                             // cycles until the warp's next instruction may issue
  bool is_fp = false;                          // an f32 or f64 operation other than a special function
};

/// By instruction. `off_chip`: whether a load or store without a state space went to global memory.
std::vector<InstructionCost> instruction_costs(const sim::MachineConfig& machine, const ptx::Kernel& kernel,
                                               const std::vector<bool>& off_chip);

}  // namespace warptime::analysis
