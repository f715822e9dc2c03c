// Instructions whose values come from all lanes of a warp: vote, shfl, match, redux (PTX ISA 9.7.9.6, 9.7.13.8 to 16).
// Of lanes that do not execute them they take nothing. No lane code: they are compiled once for every host.
#pragma once

#include "sim/exec/insn.h"

namespace warptime::sim {

/// The handler of vote, activemask, shfl, match, redux or elect; nullptr for other instructions.
Handler warp_handler(const ptx::Instruction& in);

}  // namespace warptime::sim
