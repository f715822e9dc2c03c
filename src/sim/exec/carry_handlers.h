// Carry chains (PTX ISA 9.7.2): add.cc, addc and their like. The carry flag is a predicate of the warp. No lane code:
// they are compiled once for every host.
#pragma once

#include "sim/exec/insn.h"

namespace warptime::sim {

inline bool writes_carry(const ptx::Instruction& in) { return in.mods.has(ptx::Mod::Cc); }
bool reads_carry(const ptx::Instruction& in);

/// The handler of an instruction that reads or writes the carry flag (predicate src[3], predicate dst2); nullptr for
/// others.
Handler carry_handler(const ptx::Instruction& in);

}  // namespace warptime::sim
