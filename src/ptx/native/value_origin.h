// The origin of the value of a register that is written once, through copies: an immediate, a kernel parameter, a
// constant at a fixed address, the block index. Such values are always available and need no register.
#pragma once

#include <vector>

#include "ptx/native/register_facts.h"

namespace warptime::ptx {

struct Origin {
  enum class Kind : uint8_t {
    Register,    // computed: it is what it is
    Immediate,   // a number, or a symbol's address
    Parameter,   // s[]: 32 bits of a kernel parameter (c[] and any width, where the instruction set is a later one)
    Constant,    // c[]: 32 bits at a fixed address
    BlockIndex,  // s[]: size of the block and the grid, number of the block
  };
  Kind kind = Kind::Register;
  uint32_t reg = 0;  // the register at the end of the chain of copies
};

/// How wide an operand may be that an instruction reads from memory itself.
enum class OperandWidth { Word, Any };

class Origins {
 public:
  Origins(const Kernel& kernel, const RegisterFacts& facts, const std::vector<bool>& narrow,
          OperandWidth width = OperandWidth::Word);

  const Origin& operator[](uint32_t reg) const { return origins_[reg]; }
  /// Whether an instruction only gives a register, or its low half, another name.
  bool is_copy(const Instruction& instruction) const;
  /// A load of .param or .const whose address is a number; not of what is passed to a function.
  bool loads_fixed(const Instruction& instruction, Space space) const;

 private:
  Origin find(uint32_t reg) const;

  const Kernel& kernel_;
  const RegisterFacts& facts_;
  const std::vector<bool>& narrow_;
  OperandWidth width_;
  std::vector<Origin> origins_;
};

/// A load that happens whenever control comes by, of what nobody else changes meanwhile.
bool loads_plainly(const Instruction& instruction);
/// An unconditional load of 32-bit elements that nobody else changes meanwhile. `narrow`: 64-bit elements count, too.
bool loads_words(const Instruction& instruction, bool narrow);

}  // namespace warptime::ptx
