// The largest value that an integer register can hold, derived from the origin of its values: indices of threads and
// blocks, constants, masks, and sums and products of these. Unsigned; a value that may be negative is as large as its
// type.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/native/register_facts.h"

namespace warptime::ptx {

/// By register.
std::vector<uint64_t> find_largest(const Kernel& kernel);
uint64_t largest(const std::vector<uint64_t>& of_registers, const Operand& operand);

}  // namespace warptime::ptx
