// fns, isspacep, cvt.pack, createpolicy, and lop3 with a predicate: each lane on its own, but not worth code on
// vectors. Compiled once for every host.
#pragma once

#include "sim/exec/insn.h"

namespace warptime::sim {

/// The handler of fns, cvt.pack, createpolicy, or of lop3 with a predicate; nullptr for other instructions.
Handler lane_by_lane_handler(const ptx::Instruction& in);

/// The handler of isspacep on addresses of so many bytes. src[1] to src[3] are where the windows of shared memory, of
/// local memory and of constants begin; the window of parameters follows that of constants.
Handler isspacep_handler(const ptx::Instruction& in, uint32_t address_bytes);

}  // namespace warptime::sim
