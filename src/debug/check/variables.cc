#include "debug/check/variables.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "ptx/analysis/register_uses.h"
#include "ptx/user/demangle.h"
#include "ptx/user/variables.h"

namespace warptime::debug {

using ptx::Operand, ptx::Space, ptx::Symbol;

namespace {

/// Instructions whose result lies in the variable that an operand points into.
bool keeps_variable(const ptx::Instruction& instruction) {
  static constexpr std::array<std::string_view, 7> kNames{"mov", "add", "sub", "mad", "cvta", "cvt", "selp"};
  for (std::string_view name : kNames)
    if (instruction.card->card->name == name) return true;
  return false;
}

/// The variable whose address a register holds: none yet, one, or not known.
struct Meant {
  const Symbol* symbol = nullptr;
  bool is_any = false;

  bool join(const Meant& other) {
    if (is_any || (other.symbol == nullptr && !other.is_any)) return false;
    if (!other.is_any && (symbol == nullptr || symbol == other.symbol)) {
      const bool changes = symbol != other.symbol;
      symbol = other.symbol;
      return changes;
    }
    return is_any = true;
  }
};

const Symbol& symbol_of(const sim::CompiledKernel& kernel, const Operand& operand) {
  return operand.scope == Operand::Scope::Kernel ? kernel.kernel->symbols[operand.index]
                                                 : kernel.module->symbols[operand.index];
}

}  // namespace

std::optional<Variable> variable_at(const sim::LaunchContext& launch, Space space, Addr address) {
  if (space == Space::Global) {
    const auto* buffer = launch.memory->find(address, 1);
    if (buffer == nullptr) return std::nullopt;
    return Variable{ptx::short_name(buffer->name), buffer->begin, buffer->bytes};
  }
  const Symbol* found = ptx::variable_at(*launch.kernel->module, *launch.kernel->kernel, space, address);
  if (found == nullptr) return std::nullopt;
  return Variable{ptx::short_name(found->name), found->offset, found->size};
}

std::string element_of(const Variable& variable, Addr address, uint32_t bytes) {
  if (variable.name.empty()) return {};
  if (address >= variable.begin)
    return ptx::element_text(variable.name, address - variable.begin, variable.bytes, bytes);
  return fmt::format("{}[-{}]", variable.name, (variable.begin - address + bytes - 1) / bytes);
}

std::string element_at(const sim::LaunchContext& launch, Space space, Addr address, uint32_t bytes) {
  const auto variable = variable_at(launch, space, address);
  return variable ? element_of(*variable, address, bytes) : std::string();
}

MeantVariables::MeantVariables(const sim::LaunchContext& launch) {
  const sim::CompiledKernel& compiled = *launch.kernel;
  const ptx::Kernel& kernel = *compiled.kernel;
  std::vector<Meant> of_register(kernel.registers.size());
  auto meant_by = [&](const Operand& operand) -> Meant {
    if (operand.kind == Operand::Kind::Register) return of_register[operand.index];
    if (operand.kind != Operand::Kind::SymbolAddress) return {};
    const Symbol& symbol = symbol_of(compiled, operand);
    if (symbol.space == Space::Shared || symbol.space == Space::Const) return {&symbol};
    return {};
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const ptx::Instruction& instruction : kernel.instructions) {
      Meant result;
      for (const Operand& operand : kernel.operands_of(instruction))
        if (!operand.destination) result.join(meant_by(operand));
      if (result.symbol == nullptr && !result.is_any) continue;
      if (!keeps_variable(instruction)) result = {nullptr, true};
      for (const Operand& operand : kernel.operands_of(instruction))
        ptx::for_each_register(kernel, operand, [&](uint32_t reg, bool is_written) {
          if (is_written) changed |= of_register[reg].join(result);
        });
    }
  }
  of_.resize(compiled.insns.size() + 1);
  for (size_t pc = 0; pc < kernel.instructions.size() && pc < of_.size(); ++pc)
    for (const Operand& operand : kernel.operands_of(kernel.instructions[pc])) {
      if (operand.kind != Operand::Kind::Memory) continue;
      if (operand.base == Operand::Base::Symbol) of_[pc] = &symbol_of(compiled, operand);
      if (operand.base == Operand::Base::Register && !of_register[operand.index].is_any)
        of_[pc] = of_register[operand.index].symbol;
      if (of_[pc] != nullptr && of_[pc]->space != Space::Shared && of_[pc]->space != Space::Const) of_[pc] = nullptr;
    }
}

}  // namespace warptime::debug
