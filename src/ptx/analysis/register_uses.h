// The registers that an instruction reads and writes.
#pragma once

#include "ptx/module.h"

namespace warptime::ptx {

/// Calls visit(register index, is it written?) for each register of an operand.
template <class Visit>
void for_each_register(const Kernel& kernel, const Operand& operand, Visit&& visit) {
  if (operand.kind == Operand::Kind::Register) {
    if (operand.accumulates) visit(operand.index, false);
    visit(operand.index, operand.destination);
  } else if (operand.kind == Operand::Kind::Memory && operand.base == Operand::Base::Register) {
    visit(operand.index, false);
  } else if (operand.kind == Operand::Kind::Vector) {
    for (uint32_t i = 0; i < operand.count; ++i) for_each_register(kernel, kernel.operands[operand.index + i], visit);
  }
}

/// Calls visit(register index, is it written?) for each register of an instruction, its guard included.
template <class Visit>
void for_each_register(const Kernel& kernel, const Instruction& instruction, Visit&& visit) {
  if (instruction.guard != kNoIndex) visit(instruction.guard, false);
  for (const Operand& operand : kernel.operands_of(instruction)) for_each_register(kernel, operand, visit);
}

}  // namespace warptime::ptx
