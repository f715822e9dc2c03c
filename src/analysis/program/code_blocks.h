// The basic blocks of a kernel and of the device functions linked to it, with how often warps executed them: the
// control flow graph, weighted.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/module.h"
#include "sim/model/statistics.h"

namespace warptime::analysis {

struct CodeBlock {
  uint32_t begin = 0, end = 0;           // instructions [begin, end)
  std::vector<uint32_t> successors;      // blocks; kEnd: the kernel's or function's end
  double executions = 0;                 // by warps
  double lanes = 0;                      // active at an execution, on average
  uint32_t predecessor = ptx::kNoIndex;  // the one from which most executions came; kNoIndex: none

  static constexpr uint32_t kEnd = ptx::kNoIndex;
};

/// `rows`: of a run that counted by instruction, in the order of the kernel's instructions.
std::vector<CodeBlock> code_blocks(const ptx::Module& module, const ptx::Kernel& kernel,
                                   const sim::InstructionRows& rows);

/// For each block the executions of each of its successors that came from it: what agrees best with the executions of
/// both ends (proportional fitting), scaled so that those of a block sum to its own.
std::vector<std::vector<double>> transitions(const std::vector<CodeBlock>& blocks);

}  // namespace warptime::analysis
