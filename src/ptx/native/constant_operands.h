// Operands in constant memory before compute capability 9.0, where an instruction reads one of 32 or 64 bits itself: a
// kernel parameter, or the size of block or grid. From 9.0 on the assembler (ptxas 13.0) loads it with an instruction.
#pragma once

#include <vector>

#include "ptx/native/register_facts.h"
#include "ptx/native/value_origin.h"

namespace warptime::ptx {

/// What becomes of an instruction that only fetches such a value.
enum class ConstantFetch : uint8_t {
  None,      // it is none
  Operand,   // each of its readers takes the value as its operand
  Register,  // a move brings it into a register: a reader has no room for it, or is not arithmetic
};

struct ConstantOperands {  // by instruction
  std::vector<ConstantFetch> fetches;
  std::vector<bool> taken;  // it has an operand in constant memory
};
ConstantOperands find_constant_operands(const Kernel& kernel, const RegisterFacts& facts, const Origins& origins);

}  // namespace warptime::ptx
