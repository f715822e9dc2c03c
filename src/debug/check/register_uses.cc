#include "debug/check/register_uses.h"

#include <algorithm>

#include "sim/exec/carry_handlers.h"

namespace warptime::debug {

namespace {

using ptx::Operand;
using Bits = std::vector<bool>;

/// Calls f(register, is_written).
template <class F>
void for_registers(const ptx::Kernel& kernel, const Operand& operand, const F& f) {
  if (operand.kind == Operand::Kind::Vector) {
    for (uint32_t i = 0; i < operand.count; ++i) for_registers(kernel, kernel.operands[operand.index + i], f);
  } else if (operand.kind == Operand::Kind::Register) {
    f(operand.index, operand.destination);
  } else if (operand.kind == Operand::Kind::Memory && operand.base == Operand::Base::Register) {
    f(operand.index, false);
  }
}

/// Reads first. The carry flag counts as the register behind the last one.
template <class F>
void for_registers(const ptx::Kernel& kernel, const ptx::Instruction& instruction, const F& f) {
  const auto carry = static_cast<uint32_t>(kernel.registers.size());
  if (instruction.guard != ptx::kNoIndex) f(instruction.guard, false);
  if (sim::reads_carry(instruction)) f(carry, false);
  if (sim::writes_carry(instruction)) f(carry, true);
  for (bool writes : {false, true})
    for (const Operand& operand : kernel.operands_of(instruction))
      for_registers(kernel, operand, [&](uint32_t reg, bool is_written) {
        if (is_written == writes) f(reg, is_written);
      });
}

/// The registers that are certainly written before each block of the kernel's own code.
std::vector<Bits> written_before_blocks(const ptx::Kernel& kernel) {
  const size_t registers = kernel.registers.size() + 1;
  std::vector<Bits> before(kernel.blocks.size(), Bits(registers, true));
  if (before.empty()) return before;
  before[0].assign(registers, false);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t b = 0; b < kernel.blocks.size(); ++b) {
      const ptx::BasicBlock& block = kernel.blocks[b];
      Bits after = before[b];
      for (uint32_t i = block.begin; i < block.end; ++i) {
        const ptx::Instruction& instruction = kernel.instructions[i];
        if (instruction.guard != ptx::kNoIndex) continue;
        for_registers(kernel, instruction, [&](uint32_t reg, bool is_written) {
          if (is_written) after[reg] = true;
        });
      }
      for (uint32_t next : block.successors) {
        if (next >= before.size()) continue;
        for (size_t reg = 0; reg < registers; ++reg) {
          if (!before[next][reg] || after[reg]) continue;
          before[next][reg] = false;
          changed = true;
        }
      }
    }
  }
  return before;
}

/// Those that an instruction may read before any has written them. In functions: all that they read.
Bits read_too_early(const ptx::Kernel& kernel) {
  Bits out(kernel.registers.size() + 1);
  std::vector<Bits> before = written_before_blocks(kernel);
  for (size_t b = 0; b < kernel.blocks.size(); ++b) {
    Bits written = before[b];
    for (uint32_t i = kernel.blocks[b].begin; i < kernel.blocks[b].end; ++i) {
      const bool always = kernel.instructions[i].guard == ptx::kNoIndex;
      for_registers(kernel, kernel.instructions[i], [&](uint32_t reg, bool is_written) {
        if (!is_written && !written[reg]) out[reg] = true;
        if (is_written && always) written[reg] = true;
      });
    }
  }
  for (size_t i = kernel.own_instructions; i < kernel.instructions.size(); ++i)
    for_registers(kernel, kernel.instructions[i], [&](uint32_t reg, bool is_written) {
      if (!is_written) out[reg] = true;
    });
  return out;
}

/// The registers that a call fills in the function that it calls.
void add_arguments(const ptx::Kernel& kernel, const std::vector<uint32_t>& number, RegisterUses& out) {
  for (size_t i = 0; i < kernel.instructions.size(); ++i) {
    if (effect_of(*kernel.instructions[i].card->card, *kernel.instructions[i].form) != ptx::Effect::Call) continue;
    for (const ptx::LinkedFunction& function : kernel.functions)
      for (const ptx::Parameter& argument : function.arguments)
        if (argument.is_register && number[argument.index] != ptx::kNoIndex)
          out.of_instruction[i].writes.push_back(number[argument.index]);
  }
}

}  // namespace

RegisterUses find_register_uses(const ptx::Kernel& kernel) {
  RegisterUses out;
  Bits early = read_too_early(kernel);
  std::vector<uint32_t> number(kernel.registers.size() + 1, ptx::kNoIndex);
  for (uint32_t reg = 0; reg < early.size(); ++reg) {
    if (!early[reg] || (reg < kernel.registers.size() && kernel.registers[reg].module_register != 0)) continue;
    number[reg] = static_cast<uint32_t>(out.followed.size());
    out.followed.push_back(reg);
  }
  if (out.followed.empty()) return out;
  out.of_instruction.resize(kernel.instructions.size() + 1);  // and the exit behind them
  for (size_t i = 0; i < kernel.instructions.size(); ++i)
    for_registers(kernel, kernel.instructions[i], [&](uint32_t reg, bool is_written) {
      if (number[reg] == ptx::kNoIndex) return;
      auto& list = is_written ? out.of_instruction[i].writes : out.of_instruction[i].reads;
      if (std::find(list.begin(), list.end(), number[reg]) == list.end()) list.push_back(number[reg]);
    });
  add_arguments(kernel, number, out);
  return out;
}

}  // namespace warptime::debug
