// cvt with numbers of 8, 6 and 4 bits and scales of 8 (PTX ISA 9.0, 9.7.9.21): two in a register. Lane by lane,
// compiled once for every host. Numbers of 8 bits were recorded on an H100; the others follow the manual's formulas.
#pragma once

#include "sim/exec/insn.h"

namespace warptime::sim {

/// Whether a type is two numbers of 8 bits or less.
constexpr bool is_small(ptx::Type type) { return type >= ptx::Type::E4M3x2 && type <= ptx::Type::UE8M0x2; }

/// nullptr: it is another instruction.
Handler small_float_handler(const ptx::Instruction& instruction);

}  // namespace warptime::sim
