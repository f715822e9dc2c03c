// Which native instructions of a G80 are encoded in 4 bytes instead of 8 (envytools, "CUDA instruction set").
//
// Such an instruction has registers or one operand near the beginning of s[] or c[], no immediate, no predicate, and
// sets no flags. They come in pairs, as a long one begins at a multiple of 8 bytes. Which of those that might be short
// are: two that follow each other, and no multiply-add (inferred from the 94 kernels of decuda's cubins, of whose 4039
// instructions 346 are short; of the pairs of neighbours there that might be short, 8 are not).
#pragma once

#include <vector>

#include "ptx/module.h"

namespace warptime::ptx {

class RegisterFacts;
class Origins;

/// By PTX instruction: how many of its native instructions have 4 bytes.
std::vector<uint16_t> find_short_instructions(const Kernel& kernel, const std::vector<NativeInstruction>& native,
                                              const RegisterFacts& facts, const Origins& origins);

}  // namespace warptime::ptx
