#include "ptx/user/element_types.h"

#include <algorithm>
#include <array>

#include "ptx/analysis/register_uses.h"
#include "ptx/isa/cards.h"

namespace warptime::ptx {

namespace {

bool names_it(const Operand& operand, const std::vector<bool>& is_kernel_symbol, const std::vector<bool>& computed) {
  if (operand.kind == Operand::Kind::SymbolAddress || operand.kind == Operand::Kind::Memory) {
    const bool by_symbol = operand.kind == Operand::Kind::SymbolAddress || operand.base == Operand::Base::Symbol;
    if (by_symbol)
      return operand.scope == Operand::Scope::Kernel && operand.index < is_kernel_symbol.size() &&
             is_kernel_symbol[operand.index];
    return operand.kind == Operand::Kind::Memory && operand.base == Operand::Base::Register && computed[operand.index];
  }
  return operand.kind == Operand::Kind::Register && !operand.destination && computed[operand.index];
}

}  // namespace

Type element_type(const Kernel& kernel, const Symbol& symbol) {
  if (bytes(symbol.type) > 1) return symbol.type;
  std::vector<bool> is_symbol, computed(kernel.registers.size(), false);
  for (const Symbol& own : kernel.symbols) is_symbol.push_back(own.name == symbol.name && own.space == symbol.space);
  std::array<uint32_t, kTypes.size()> accesses{};
  // Registers that are computed from the address, in the order of the text: compilers compute before they use.
  for (const Instruction& instruction : kernel.instructions) {
    const std::span<const Operand> operands = kernel.operands_of(instruction);
    const bool reaches = std::any_of(operands.begin(), operands.end(),
                                     [&](const Operand& operand) { return names_it(operand, is_symbol, computed); });
    const Effect effect = effect_of(*instruction.card->card, *instruction.form);
    const bool accesses_it = effect == Effect::Load || effect == Effect::Store || effect == Effect::Atomic;
    if (accesses_it) {
      const bool by_address = std::any_of(operands.begin(), operands.end(), [&](const Operand& operand) {
        return operand.kind == Operand::Kind::Memory && names_it(operand, is_symbol, computed);
      });
      if (by_address && instruction.type != Type::None) ++accesses[static_cast<size_t>(instruction.type)];
    }
    for_each_register(kernel, instruction, [&](uint32_t reg, bool written) {
      if (written) computed[reg] = reaches && !accesses_it;
    });
  }
  const auto most = std::max_element(accesses.begin(), accesses.end());
  return *most == 0 ? Type::B8 : static_cast<Type>(static_cast<size_t>(most - accesses.begin()));
}

}  // namespace warptime::ptx
