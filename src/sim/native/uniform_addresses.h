// Which instructions of a kernel have, by construction, one address for all lanes of a warp.
#pragma once

#include <vector>

#include "ptx/module.h"

namespace warptime::sim {

class UniformAddresses {
 public:
  /// Not `wanted`: nothing is looked for, and no instruction has one.
  UniformAddresses(bool wanted, const ptx::Kernel& kernel);

  bool any() const { return kernel_ != nullptr; }
  /// Whether `in`, of this kernel, accesses memory by an address and under a guard that no lane has for itself.
  bool has(const ptx::Instruction& in) const;

 private:
  const ptx::Kernel* kernel_;
  std::vector<bool> varies_;  // by register
};

/// Whether a warp can make one of the lanes' operations on one word: reductions of 32-bit integers, and additions that
/// return the old word (what ptxas 13.0 does for sm_90, by the instructions that it makes of each operation).
bool combines(const ptx::Instruction& in);

}  // namespace warptime::sim
