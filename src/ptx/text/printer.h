// Pieces of PTX text that the printer and the report share.
#pragma once

#include "ptx/module.h"

namespace warptime::ptx {

/// A constant as PTX writes it: decimal integers, floats as their bits (0f3F800000).
std::string constant_text(uint64_t bits, Type type);

/// The names of labels: those of the source, or numbers, which are unique in a kernel: `$L7` for the instruction of
/// index 7.
enum class LabelNames : uint8_t { Written, Numbered };
std::string to_text(const Module& module, const Kernel& kernel, const Instruction& instruction, bool guard,
                    LabelNames labels);

/// One operand. Labels that are numbered have the name that `label_text` gives.
std::string operand_text(const Module& module, const Kernel& kernel, const Operand& operand,
                         LabelNames labels = LabelNames::Written);

/// `$L7` for the branch target at an instruction: numbered by instruction.
std::string label_text(uint32_t instruction);

/// `$T0` for a list of branch targets.
std::string table_text(uint32_t table);

/// The prototypes of a kernel's own calls through registers (functions of the module), in order of mention, each once.
std::vector<uint32_t> prototypes_of(const Kernel& kernel);
/// `$P0` for the first of them.
std::string prototype_text(const Kernel& kernel, uint32_t function);

}  // namespace warptime::ptx
