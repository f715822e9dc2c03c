// The data for the native rules: the writes and reads of each virtual register, and the block and loop of each
// instruction. One pass, a few numbers for each register and each use.
#pragma once

#include <span>
#include <vector>

#include "ptx/module.h"

namespace warptime::ptx {

inline constexpr uint32_t kSeveral = kNoIndex - 1;

struct Use {
  uint32_t instruction;
  uint8_t position;  // in its operands; of a brace list: the list's
};

class RegisterFacts {
 public:
  explicit RegisterFacts(const Kernel& kernel);

  /// The only instruction that writes the register; kNoIndex: none; kSeveral: more, or one under a guard.
  uint32_t definition(uint32_t reg) const { return definition_[reg]; }
  /// Reads, those of guards left out.
  std::span<const Use> uses(uint32_t reg) const {
    return {uses_.data() + first_use_[reg], uses_.data() + first_use_[reg + 1]};
  }
  /// The last instruction of `before`'s block that writes the register and stands in front of it, or kNoIndex.
  uint32_t write_before(uint32_t reg, uint32_t before) const;
  /// Whether an instruction behind `from` and before `to` reads or writes the register.
  bool is_touched_between(uint32_t reg, uint32_t from, uint32_t to) const;
  uint32_t block(uint32_t instruction) const { return block_[instruction]; }
  /// Loops around the instruction: blocks between a branch backwards and its target.
  uint32_t loop_depth(uint32_t instruction) const { return depth_[block_[instruction]]; }

 private:
  std::vector<uint32_t> definition_, first_use_, first_write_, block_, depth_;
  std::vector<Use> uses_;         // by register, in the order of the code
  std::vector<uint32_t> writes_;  // the same
};

/// The first register that an instruction writes, or kNoIndex.
uint32_t result_of(const Kernel& kernel, const Instruction& instruction);
inline Effect effect_of(const Instruction& instruction) {
  return effect_of(*instruction.card->card, *instruction.form);
}
inline bool is_long(Type type) { return type != Type::None && bits(type) == 64 && type != Type::F64; }

}  // namespace warptime::ptx
