#include "ptx/analysis/linker.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "ptx/analysis/liveness.h"

namespace warptime::ptx {

namespace {

/// Copies one function behind a kernel's code. What the function counts from 0 moves behind what the kernel has.
class Appender {
 public:
  Appender(const Kernel& function, Kernel& kernel)
      : function_(function),
        kernel_(kernel),
        registers_(static_cast<uint32_t>(kernel.registers.size())),
        operands_(static_cast<uint32_t>(kernel.operands.size())),
        instructions_(static_cast<uint32_t>(kernel.instructions.size())),
        tables_(static_cast<uint32_t>(kernel.branch_tables.size())) {}

  void run(uint32_t function, uint32_t cycle) {
    kernel_.reads_grid_barrier = kernel_.reads_grid_barrier || function_.reads_grid_barrier;
    auto first_symbol = static_cast<uint32_t>(kernel_.symbols.size());
    add_symbols(cycle != 0);
    add_registers();
    kernel_.functions.push_back(
        {function, instructions_, instructions_ + static_cast<uint32_t>(function_.instructions.size()), first_symbol,
         static_cast<uint32_t>(kernel_.symbols.size()), cycle, moved(function_.results), moved(function_.arguments)});
    for (Operand operand : function_.operands) kernel_.operands.push_back(moved(operand));
    for (BranchTable table : function_.branch_tables) {
      table.first_operand += operands_;
      kernel_.branch_tables.push_back(std::move(table));
    }
    for (Instruction instruction : function_.instructions) {
      instruction.first_operand += operands_;
      if (instruction.guard != kNoIndex) instruction.guard += registers_;
      if (instruction.reconvergence != kNoIndex) instruction.reconvergence += instructions_;
      kernel_.instructions.push_back(instruction);
    }
    const std::vector<NativeInstruction>& native = function_.native.instructions;
    kernel_.native.instructions.insert(kernel_.native.instructions.end(), native.begin(), native.end());
  }

 private:
  void add_symbols(bool in_cycle) {
    for (Symbol symbol : function_.symbols) {
      symbol.by_activation = in_cycle && symbol.space == Space::Local && !symbol.from_module;
      if (symbol.passed) symbol.offset += kernel_.rows.rows;
      auto known = kernel_.symbols.end();
      if (symbol.from_module)
        known = std::find_if(kernel_.symbols.begin(), kernel_.symbols.end(),
                             [&](const Symbol& s) { return s.from_module && s.name == symbol.name; });
      symbols_.push_back(static_cast<uint32_t>(known - kernel_.symbols.begin()));
      if (known == kernel_.symbols.end()) kernel_.symbols.push_back(std::move(symbol));
    }
  }

  void add_registers() {
    RegisterRows& rows = kernel_.rows;
    for (uint32_t i = 0; i < function_.registers.size(); ++i) {
      const Register& reg = function_.registers[i];
      uint32_t first = reg.type == Type::Pred ? rows.predicates : rows.rows;
      uint16_t row = shared_row(reg).value_or(static_cast<uint16_t>(first + function_.rows.row_of[i]));
      rows.row_of.push_back(row);
      kernel_.registers.push_back(reg);
    }
    auto sum = [](uint32_t a, uint32_t b) { return static_cast<uint16_t>(std::min(a + b, kTooManyRows)); };
    rows.rows = sum(rows.rows, function_.rows.rows);
    rows.predicates = sum(rows.predicates, function_.rows.predicates);
  }

  /// Where the kernel has this register of the module already.
  std::optional<uint16_t> shared_row(const Register& reg) const {
    if (reg.module_register == 0) return std::nullopt;
    for (uint32_t i = 0; i < kernel_.rows.row_of.size(); ++i)
      if (kernel_.registers[i].module_register == reg.module_register) return kernel_.rows.row_of[i];
    return std::nullopt;
  }

  std::vector<Parameter> moved(std::vector<Parameter> parameters) const {
    for (Parameter& parameter : parameters)
      parameter.index = parameter.is_register ? parameter.index + registers_ : symbols_[parameter.index];
    return parameters;
  }

  Operand moved(Operand operand) const {
    switch (operand.kind) {
      case Operand::Kind::Register: operand.index += registers_; break;
      case Operand::Kind::Memory:
        if (operand.base == Operand::Base::Register) operand.index += registers_;
        if (operand.base == Operand::Base::Symbol && operand.scope == Operand::Scope::Kernel)
          operand.index = symbols_[operand.index];
        break;
      case Operand::Kind::SymbolAddress:
        if (operand.scope == Operand::Scope::Kernel) operand.index = symbols_[operand.index];
        break;
      case Operand::Kind::Parameter: operand.index = symbols_[operand.index]; break;
      case Operand::Kind::Vector: operand.index += operands_; break;
      case Operand::Kind::Label: operand.index += instructions_; break;
      case Operand::Kind::Table: operand.index += tables_; break;
      case Operand::Kind::Function:  // numbered by the module
      case Operand::Kind::FunctionAddress:
      case Operand::Kind::Immediate:
      case Operand::Kind::Special:
      case Operand::Kind::Sink:
      case Operand::Kind::None: break;
    }
    return operand;
  }

  const Kernel& function_;
  Kernel& kernel_;
  uint32_t registers_, operands_, instructions_, tables_;  // the kernel's counts before
  std::vector<uint32_t> symbols_;                          // by the function's symbol: the kernel's
};

}  // namespace

Linker::Linker(const Module& module) : module_(module), graph_(module) {}

uint32_t Linker::depth_below(const Kernel& kernel) const {
  uint32_t depth = 0;
  for (uint32_t callee : graph_.callees_of(kernel)) depth = std::max(depth, graph_[callee].depth + 1);
  return depth;
}

void Linker::link(Kernel& kernel) const {
  std::vector<uint32_t> order;
  std::vector<bool> taken(module_.functions.size(), false);
  uint32_t registers = 0, native_registers = 0;
  auto take = [&](const std::vector<uint32_t>& callees) {
    for (uint32_t callee : callees) {
      if (!taken[callee] && module_.functions[callee].has_body) order.push_back(callee);
      taken[callee] = true;
    }
  };
  std::vector<uint32_t> own = graph_.callees_of(kernel);
  for (uint32_t callee : own) {
    registers = std::max(registers, graph_[callee].registers);
    native_registers = std::max(native_registers, graph_[callee].native_registers);
  }
  take(own);
  for (size_t i = 0; i < order.size(); ++i) take(graph_.callees(order[i]));
  for (uint32_t function : order) Appender(module_.functions[function], kernel).run(function, graph_[function].cycle);
  kernel.estimated_registers += registers;
  kernel.native.registers += native_registers;
}

}  // namespace warptime::ptx
