// Where each register is live, as the control flow of one thread has it. A write under a guard keeps the old value in
// the threads that it does not write, so it is a read as well.
#pragma once

#include <algorithm>
#include <vector>

#include "ptx/module.h"

namespace warptime::ptx {

/// The instructions from the first to the last at which a register is live, both inclusive.
struct LiveInterval {
  uint32_t begin = kNoIndex;  // kNoIndex: no instruction mentions the register
  uint32_t end = 0;
  void cover(uint32_t instruction) {
    begin = std::min(begin, instruction);
    end = std::max(end, instruction);
  }
};

struct Liveness {
  std::vector<LiveInterval> intervals;  // by register
  /// The most 32-bit registers that are live at once (a 64-bit one counts two, a predicate none).
  uint32_t most_registers = 0;
};

/// Needs kernel.blocks.
Liveness find_liveness(const Kernel& kernel);

/// Row and predicate numbers have 16 bits; RegisterRows says kTooManyRows if that is not enough.
inline constexpr uint32_t kTooManyRows = 0xffff;

/// Rows for simulation: linear scan over the intervals.
RegisterRows assign_rows(const Kernel& kernel, std::vector<LiveInterval> intervals);

}  // namespace warptime::ptx
