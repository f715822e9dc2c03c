// What listings of native code need beside its cost: with which instruction one without native instructions issues.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ptx/module.h"

namespace warptime::ptx {

/// By instruction: of one without native instructions (NativeInstruction::slots) the one of whose native instructions
/// it is a part; kNoIndex: it has its own, or nothing is left of it.
std::vector<uint32_t> find_native_anchors(const Kernel& kernel);

/// The native mnemonics of `native`, which stands for `instruction`, "-" for none.
std::string native_text(const Module& module, const Kernel& kernel, const Instruction& instruction,
                        const NativeInstruction& native);

}  // namespace warptime::ptx
