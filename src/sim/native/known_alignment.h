// How many low bits of an integer register are zero for certain: the alignment of addresses, as an assembler derives
// it.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/module.h"

namespace warptime::sim {

/// By register, at most kMostZeros. 0: nothing is known. Kernel parameters are not known to be aligned.
std::vector<uint8_t> find_known_zeros(const ptx::Module& module, const ptx::Kernel& kernel);
inline constexpr uint8_t kMostZeros = 16;

/// The variable that an operand names.
const ptx::Symbol& symbol_of(const ptx::Module& module, const ptx::Kernel& kernel, const ptx::Operand& operand);

}  // namespace warptime::sim
