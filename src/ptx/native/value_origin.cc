#include "ptx/native/value_origin.h"

#include "ptx/analysis/register_uses.h"
#include "ptx/isa/cards.h"

namespace warptime::ptx {

namespace {

bool is_block_index(Special special) {
  auto in = [special](Special first, Special last) { return special >= first && special <= last; };
  return in(Special::NtidX, Special::NtidZ) || in(Special::CtaidX, Special::NctaidZ);
}

}  // namespace

bool Origins::loads_fixed(const Instruction& instruction, Space space) const {
  if (effect_of(instruction) != Effect::Load || instruction.space != space) return false;
  const Operand& place = kernel_.operands_of(instruction)[1];
  if (place.base == Operand::Base::Register) return origins_[place.index].kind == Origin::Kind::Immediate;
  if (place.base == Operand::Base::None) return true;
  return place.scope != Operand::Scope::Kernel || !kernel_.symbols[place.index].passed;
}

bool loads_plainly(const Instruction& instruction) {
  return effect_of(instruction) == Effect::Load && instruction.guard == kNoIndex &&
         !instruction.mods.has(Mod::Volatile);
}

bool loads_words(const Instruction& instruction, bool narrow) {
  bool loads = effect_of(instruction) == Effect::Load && instruction.guard == kNoIndex;
  if (!loads || (instruction.mods.has(Mod::Volatile) && instruction.space != Space::Shared)) return false;
  return bits(instruction.type) == 32 || (narrow && is_long(instruction.type));
}

Origins::Origins(const Kernel& kernel, const RegisterFacts& facts, const std::vector<bool>& narrow, OperandWidth width)
    : kernel_(kernel), facts_(facts), narrow_(narrow), width_(width), origins_(kernel.registers.size()) {
  for (uint32_t reg = 0; reg < origins_.size(); ++reg) origins_[reg].reg = reg;
  // A copy mostly stands behind its source; where it does not, it stays what it is.
  for (const Instruction& instruction : kernel.instructions)
    for (const Operand& operand : kernel.operands_of(instruction))
      for_each_register(kernel, operand, [&](uint32_t reg, bool written) {
        if (written) origins_[reg] = find(reg);
      });
}

bool Origins::is_copy(const Instruction& instruction) const {
  auto operands = kernel_.operands_of(instruction);
  if (instruction.guard != kNoIndex || operands.size() < 2 || operands[0].kind != Operand::Kind::Register ||
      operands[1].kind != Operand::Kind::Register)
    return false;
  Type to = kernel_.registers[operands[0].index].type, from = kernel_.registers[operands[1].index].type;
  auto is_one_register = [&](const Operand& operand) {
    Type type = kernel_.registers[operand.index].type;
    return bits(type) == 32 || narrow_[operand.index];
  };
  if (to == Type::Pred || from == Type::Pred) return false;
  if (is<Mov, Cvta>(instruction)) return bits(to) == bits(from);
  if (!is<Cvt>(instruction) || instruction.mods.has(Mod::Sat)) return false;
  auto integer = [](Type type) {
    return info(type).kind != TypeKind::Float && info(type).kind != TypeKind::Packed && bits(type) >= 32;
  };
  return integer(instruction.type) && integer(instruction.type2) && is_one_register(operands[0]) &&
         (is_one_register(operands[1]) || bits(instruction.type) == 32);
}

Origin Origins::find(uint32_t reg) const {
  Origin own{Origin::Kind::Register, reg};
  uint32_t at = facts_.definition(reg);
  if (at >= kSeveral) return own;
  const Instruction& instruction = kernel_.instructions[at];
  auto operands = kernel_.operands_of(instruction);
  bool is_operand = width_ == OperandWidth::Any ? loads_plainly(instruction) && bits(instruction.type) >= 32
                                                : loads_words(instruction, narrow_[reg]);
  if (is_operand && loads_fixed(instruction, Space::Param)) return {Origin::Kind::Parameter, reg};
  if (is_operand && loads_fixed(instruction, Space::Const)) return {Origin::Kind::Constant, reg};
  if (is_copy(instruction)) {
    uint32_t source = operands[1].index;
    return facts_.definition(source) != kSeveral ? origins_[source] : own;
  }
  if (!is<Mov>(instruction) || operands[0].kind != Operand::Kind::Register) return own;
  if (operands[1].kind == Operand::Kind::Immediate || operands[1].kind == Operand::Kind::SymbolAddress)
    return {Origin::Kind::Immediate, reg};
  bool index = operands[1].kind == Operand::Kind::Special && is_block_index(static_cast<Special>(operands[1].index));
  return index ? Origin{Origin::Kind::BlockIndex, reg} : own;
}

}  // namespace warptime::ptx
