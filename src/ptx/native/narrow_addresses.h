// The machine's addresses have 32 bits, those of a 64-bit PTX module 64. If the upper half of a register is never
// needed, because every use is an address or arithmetic whose low half depends only on low halves, the register costs
// as much as a 32-bit one.
#pragma once

#include <vector>

#include "ptx/native/register_facts.h"

namespace warptime::ptx {

/// By register: a 64-bit integer of which only the low half is needed.
std::vector<bool> find_narrow(const Kernel& kernel, const RegisterFacts& facts);

}  // namespace warptime::ptx
