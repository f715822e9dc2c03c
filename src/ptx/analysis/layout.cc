#include "ptx/analysis/layout.h"

#include <algorithm>

namespace warptime::ptx {

namespace {

uint64_t align(uint64_t at, uint32_t alignment) { return (at + alignment - 1) / alignment * alignment; }

void place(Symbol& symbol, uint64_t& end) {
  symbol.offset = align(end, symbol.alignment);
  end = symbol.offset + symbol.size;
}

bool is_dynamic(const Symbol& symbol) { return symbol.space == Space::Shared && symbol.size == 0; }

}  // namespace

void lay_out_module(Module& module) {
  module.const_bytes = module.global_bytes = 0;
  for (Symbol& symbol : module.symbols) {
    if (symbol.space == Space::Const) place(symbol, module.const_bytes);
    if (symbol.space == Space::Global) place(symbol, module.global_bytes);
  }
}

namespace {

/// Loads may reach beyond the parameter that they name.
uint64_t parameter_read_end(const Kernel& kernel) {
  uint64_t end = 0;
  for (const Instruction& instruction : kernel.instructions) {
    if (instruction.space != Space::Param) continue;
    for (const Operand& operand : kernel.operands_of(instruction)) {
      bool named = operand.kind == Operand::Kind::Memory && operand.base == Operand::Base::Symbol &&
                   operand.scope == Operand::Scope::Kernel && !kernel.symbols[operand.index].passed;
      if (!named) continue;
      uint64_t bytes = uint64_t{ptx::bytes(instruction.type)} * instruction.vector;
      end = std::max(end, kernel.symbols[operand.index].offset + operand.bits + bytes);
    }
  }
  return end;
}

}  // namespace

void lay_out_kernel(Kernel& kernel) {
  uint64_t parameters = 0, shared = 0, local = 0;
  uint32_t dynamic_alignment = 1;
  for (bool from_module : {true, false}) {
    for (Symbol& symbol : kernel.symbols) {
      if (symbol.from_module != from_module) continue;
      if (symbol.space == Space::Param && !symbol.passed) place(symbol, parameters);
      if (symbol.space == Space::Local) place(symbol, local);
      if (is_dynamic(symbol)) dynamic_alignment = std::max(dynamic_alignment, symbol.alignment);
      else if (symbol.space == Space::Shared) place(symbol, shared);
    }
  }
  for (Symbol& symbol : kernel.symbols) {
    if (!is_dynamic(symbol)) continue;
    kernel.uses_dynamic_shared = true;
    shared = align(shared, dynamic_alignment);
    symbol.offset = shared;
  }
  auto limited = [](uint64_t bytes) { return static_cast<uint32_t>(std::min<uint64_t>(bytes, UINT32_MAX)); };
  kernel.parameter_bytes = limited(parameters);
  kernel.static_shared_bytes = limited(shared);
  kernel.local_bytes = limited(local);
  kernel.parameter_read_end = limited(parameter_read_end(kernel));
}

}  // namespace warptime::ptx
