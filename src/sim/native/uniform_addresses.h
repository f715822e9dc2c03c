// Which instructions of a kernel have, by construction, one address for all lanes of a warp.
#pragma once

#include <optional>
#include <vector>

#include "ptx/module.h"
#include "ptx/native/register_facts.h"

namespace warptime::sim {

class UniformAddresses {
 public:
  /// Not `wanted`: nothing is looked for, and no instruction has one.
  UniformAddresses(bool wanted, const ptx::Kernel& kernel);

  bool any() const { return kernel_ != nullptr; }
  /// Whether `in`, of this kernel, accesses memory by an address and under a guard that no lane has for itself.
  bool has(const ptx::Instruction& in) const;
  /// Whether every reader of what `in` loads can take it as an operand that is the same for the warp. It takes one
  /// such operand, or a number; if it needs two, the assembler (ptxas 13.0, sm_90) has each lane load the value.
  bool is_operand(const ptx::Instruction& in) const;

 private:
  const ptx::Kernel* kernel_;
  std::vector<bool> varies_;  // by register
  std::optional<ptx::RegisterFacts> facts_;
};

/// Whether a warp can make one of the lanes' operations on one word: reductions of 32-bit integers, and additions that
/// return the old word (what ptxas 13.0 does for sm_90, by the instructions that it makes of each operation).
bool combines(const ptx::Instruction& in);

}  // namespace warptime::sim
