// The machine's addresses have 32 bits, those of a 64-bit PTX module 64. A register whose upper half can never matter,
// because every use is an address or arithmetic whose low half depends on low halves alone, costs what a 32-bit one
// does.
#pragma once

#include <vector>

#include "ptx/native/register_facts.h"

namespace warptime::ptx {

/// By register: a 64-bit integer of which only the low half is needed.
std::vector<bool> find_narrow(const Kernel& kernel, const RegisterFacts& facts);

}  // namespace warptime::ptx
