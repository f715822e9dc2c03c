// Instructions that combine values of several lanes: vote, shfl, match, redux (PTX ISA 9.7.9.6, 9.7.13.8 to 16). They
// use only lanes that execute them and, with .sync, only lanes with the same member mask. No lane code: they are
// compiled once for every host.
#pragma once

#include <span>

#include "sim/exec/insn.h"

namespace warptime::sim {

/// The handler of vote, activemask, shfl, match, redux or elect; nullptr for other instructions.
Handler warp_handler(const ptx::Instruction& in);

/// Lanes that execute an instruction.
struct LanesAt {
  const Insn* insn;
  uint32_t lanes;
};
/// Executes one operation for lanes that have come to it at several places of the program: their operands are read, and
/// their results written, as the instruction at their own place says.
void run_at_places(const WarpValues& warp, std::span<const LanesAt> places);

}  // namespace warptime::sim
