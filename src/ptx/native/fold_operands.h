// Loads that become operands. One source of a G80 instruction may be s[], one c[] (envytools, CUDA instruction set). A
// load of shared memory folds into its only reader, if that is in the same block and nothing in between can change the
// word or the address; a kernel parameter and a constant fold into every reader that can take them.
#pragma once

#include <vector>

#include "ptx/native/address_registers.h"
#include "ptx/native/native_code.h"

namespace warptime::ptx {

struct Folding {
  struct Operands {
    MemoryOperand shared, constant;
  };
  std::vector<Operands> reads;         // by instruction
  std::vector<uint32_t> in_registers;  // by instruction: words that it loads and some reader needs in a register
  /// Whether this operand of the instruction comes from memory.
  bool is_read(Use use) const {
    return reads[use.instruction].shared.position == use.position ||
           reads[use.instruction].constant.position == use.position;
  }
};

Folding fold_operands(const Kernel& kernel, const RegisterFacts& facts, const std::vector<bool>& narrow,
                      const Origins& origins);

}  // namespace warptime::ptx
