// Loops that an assembler unrolls without knowing how often they run: those that count, of few instructions. The rule
// is that of NVIDIA's ptxas 13.0 for compute capability 9.0, found by experiment (docs/native-cost.md).
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/module.h"

namespace warptime::sim {

/// A basic block that branches to its own beginning, which is the only way to go on in it, while its counter compares
/// with a bound. Its last instruction is that branch.
struct CountedLoop {
  uint32_t block = 0;           // in Kernel::blocks
  uint32_t step_at = 0;         // instruction: counter = counter + constant (or -)
  uint32_t test_at = 0;         // instruction: setp, behind the step
  uint32_t counter = 0;         // register, 32 or 64 bits
  uint8_t counter_operand = 0;  // of the setp; the other one is the bound: 2 and 3, or 3 and 2
  int64_t step = 0;             // not 0; the comparison holds before the bound is reached
  uint8_t bound_operand() const { return counter_operand == 2 ? 3 : 2; }
};

/// Those that are unrolled, in the order of their blocks. Needs kernel.blocks and reconvergence points.
std::vector<CountedLoop> find_counted_loops(const ptx::Kernel& kernel);

/// What an instruction adds to its register, alone and in all lanes: `add r, r, constant` or `sub`. 0: it is not
/// one of these.
int64_t constant_step(const ptx::Kernel& kernel, const ptx::Instruction& instruction);

/// The lower 32 bits of a value of a type with 32 bits.
inline uint64_t cut(uint64_t value, ptx::Type type) { return ptx::bits(type) == 64 ? value : value & 0xffffffffu; }

}  // namespace warptime::sim
