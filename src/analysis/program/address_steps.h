// By how many bytes the address of an access in a loop moves from one iteration to the next, from the instructions that
// compute it: sums and products with constants of registers that the loop steps by a constant.
//
// Left out: addresses that come from memory, and loops that are not one stretch of code.
#pragma once

#include <optional>
#include <vector>

#include "ptx/module.h"

namespace warptime::analysis {

struct AddressStep {
  double bytes = 0;       // from one iteration to the next; 0: the same address
  uint32_t accesses = 1;  // of the loop with the same address register: together they cover the step
};

/// By instruction; nullopt: it accesses nothing, is in no loop, or the step is not constant.
std::vector<std::optional<AddressStep>> address_steps(const ptx::Kernel& kernel);

}  // namespace warptime::analysis
