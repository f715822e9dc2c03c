// A kernel as a machine's compiler arranges it: the order of its instructions (list_scheduler.h) and its registers
// (register_allocator.h), as `native:` of the machine file says. It is a kernel like any other, whose values are those
// of the original; so all that works with kernels works with it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ptx/module.h"
#include "sim/model/machine.h"
#include "sim/native/register_allocator.h"

namespace warptime::sim {

struct Arrangement {
  std::unique_ptr<const ptx::Kernel> kernel;
  std::vector<uint32_t> source_of;  // by instruction: that of the original which it is, or which it loads or stores for
  AllocatedRegisters registers;     // if they are allocated
};

/// Without a kernel: the original is executed as it is. So it is if it calls device functions, whose code every caller
/// shares.
Arrangement arrange(const MachineConfig& machine, const ptx::Module& module, const ptx::Kernel& kernel);

/// The kernel that the machine executes: that of `arrangement`, or `original`.
inline const ptx::Kernel& executed(const Arrangement& arrangement, const ptx::Kernel& original) {
  return arrangement.kernel ? *arrangement.kernel : original;
}

}  // namespace warptime::sim
