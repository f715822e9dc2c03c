// Estimates the registers per thread on a G80, whose compiler could also keep values in condition codes, address
// registers, operands in s[] and c[], and immediates.
#pragma once

#include "ptx/native/fold_operands.h"

namespace warptime::ptx {

struct NativeAnalysis {
  const RegisterFacts& facts;
  const std::vector<bool>& narrow;
  const Origins& origins;
  const AddressRegisters& addresses;
  const Folding& folding;
  const NativeCode& code;
};

/// General registers per thread, by a linear scan; of a function, what it adds to those of its caller.
uint32_t native_registers(const Kernel& kernel, const NativeAnalysis& analysis);
/// The most that are needed at once: fewer than any allocation.
uint32_t live_native_registers(const Kernel& kernel, const NativeAnalysis& analysis);

}  // namespace warptime::ptx
