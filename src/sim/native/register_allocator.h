// Physical registers for the registers of a kernel (`native.allocate: linear_scan`), by linear scan: intervals from the
// first to the last instruction at which a register is live, in the order of their beginnings; where none is free, the
// interval that ends last is spilled (Poletto and Sarkar, Linear Scan Register Allocation, TOPLAS 21(5), 1999).
//
// A spilled value is in local memory: each instruction that reads it has a load before it, each that writes it a store
// behind it. A constant or a parameter is loaded again where it is used. So spills cost what their instructions cost.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/module.h"

namespace warptime::sim {

struct AllocatedRegisters {
  static constexpr uint16_t kNone = 0xffff;
  std::vector<uint16_t>
      first;                 // by register: the first of its physical registers; kNone for predicates and unused ones
  uint32_t registers = 0;    // physical registers per thread
  uint32_t spilled = 0;      // registers of the kernel that are not kept in a physical one
  uint32_t spill_bytes = 0;  // of local memory, per thread
};

/// Allocates registers for the instructions as they are ordered, and adds those that spill. Instructions that read or
/// write more at once than `limit` get more. `kernel`: without device functions; only its instructions, operands,
/// registers and symbols are up to date afterwards. `source_of`: by instruction, where it comes from, kept in step.
AllocatedRegisters allocate_registers(uint32_t limit, ptx::Kernel& kernel, std::vector<uint32_t>& source_of);

}  // namespace warptime::sim
