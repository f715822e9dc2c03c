// Addresses of shared memory before compute capability 9.0: an access adds a constant to a register, which it may
// multiply by 4, 8 or 16. From 9.0 on the address of a block's shared memory is in a register, so that an instruction
// makes each.
#pragma once

#include <vector>

#include "ptx/native/register_facts.h"
#include "ptx/native/value_origin.h"

namespace warptime::ptx {

/// By instruction: whether its sum or its shift is part of the accesses that read it.
std::vector<bool> find_scaled_addresses(const Kernel& kernel, const RegisterFacts& facts, const Origins& origins);

}  // namespace warptime::ptx
