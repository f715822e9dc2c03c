// Video instructions (PTX ISA 9.0, 9.7.17 and 9.7.18): exact integers from parts of registers, and a part of the
// destination. Lane by lane, compiled once for every host.
#pragma once

#include "sim/exec/insn.h"

namespace warptime::sim {

/// What one computes with, all but the registers: src[0] to src[2] are a, b and c.
VideoPayload video_payload(const ptx::Instruction& instruction, std::span<const ptx::Operand> operands);
/// nullptr: it is another instruction.
Handler video_handler(const ptx::Instruction& instruction);

}  // namespace warptime::sim
