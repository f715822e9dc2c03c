#include "sim/exec/function_linkage.h"

#include <algorithm>

#include "base/assert.h"

namespace warptime::sim {

namespace {

using ptx::Effect, ptx::Formal, ptx::Operand;

class FunctionLinkage {
 public:
  FunctionLinkage(const ptx::Kernel& kernel, OperandRows& rows, CompiledKernel& out)
      : kernel_(kernel), rows_(rows), out_(out) {}

  void run() {
    for (uint32_t i = 0; i < kernel_.instructions.size(); ++i) {
      Insn& insn = out_.insns[i];
      bool linked =
          insn.effect == Effect::Call || insn.effect == Effect::Return || insn.effect == Effect::IndexedBranch;
      if (!linked) continue;
      linkage_ = {};
      if (insn.effect == Effect::Call) call(kernel_.instructions[i], insn);
      if (insn.effect == Effect::Return) ret(i);
      if (insn.effect == Effect::IndexedBranch) indexed_branch(kernel_.instructions[i], insn);
      insn.linkage = static_cast<uint32_t>(out_.linkages.size());
      out_.linkages.push_back(std::move(linkage_));
    }
  }

 private:
  void call(const ptx::Instruction& in, Insn& insn) {
    std::span<const Operand> operands = kernel_.operands_of(in);  // results, function, arguments
    auto callee = std::find_if(kernel_.functions.begin(), kernel_.functions.end(),
                               [&](const auto& linked) { return linked.function == operands[1].index; });
    SIM_ASSERT(callee != kernel_.functions.end(), "a call in line {} of a function that is not linked", in.line);
    insn.target = callee->first_instruction;
    for (size_t i = 0; i < operands[0].count; ++i) {
      const Operand& to = kernel_.operands[operands[0].index + i];
      if (to.kind == Operand::Kind::Sink) continue;
      linkage_.results.push_back({place(callee->results[i]), place(to), bytes(callee->results[i])});
      wait_for(to);
    }
    for (size_t i = 0; i < operands[2].count; ++i) {
      const Operand& from = kernel_.operands[operands[2].index + i];
      linkage_.arguments.push_back({place(from), place(callee->arguments[i]), bytes(callee->arguments[i])});
      wait_for(from);
      wait_for(callee->arguments[i]);
    }
  }

  void ret(uint32_t instruction) {
    const ptx::LinkedFunction* function = kernel_.function_of(instruction);
    SIM_ASSERT(function != nullptr, "a return outside of functions");
    for (const Formal& result : function->results) wait_for(result);
  }

  void indexed_branch(const ptx::Instruction& in, Insn& insn) {
    insn.reconvergence = in.reconvergence;
    for (const Operand& target : kernel_.targets_of(kernel_.branch_tables[kernel_.operands_of(in)[1].index]))
      linkage_.targets.push_back(target.index);
  }

  uint32_t bytes(const Formal& formal) const {
    return formal.is_register ? ptx::bytes(kernel_.registers[formal.index].type)
                              : static_cast<uint32_t>(kernel_.symbols[formal.index].size);
  }

  Transfer::Place variable(uint32_t symbol) const {
    return {{static_cast<uint32_t>(kernel_.symbols[symbol].offset) * kRowBytes}, 4, kRowBytes};
  }
  Transfer::Place place(const Formal& formal) const {
    if (!formal.is_register) return variable(formal.index);
    return {{uint32_t{kernel_.rows.row_of[formal.index]} * kRowBytes}, bytes(formal), 4};
  }
  Transfer::Place place(const Operand& operand) {
    if (operand.kind == Operand::Kind::Parameter) return variable(operand.index);
    return {rows_.source(operand), ptx::bytes(rows_.stored_type(operand)), 4};
  }

  void wait_for_variable(uint32_t index) {
    const ptx::Symbol& symbol = kernel_.symbols[index];
    for (uint64_t row = 0; row < (symbol.size + 3) / 4; ++row)
      linkage_.waits.push_back(static_cast<uint16_t>(symbol.offset + row));
  }
  void wait_for(const Formal& formal) {
    Operand operand;
    operand.kind = formal.is_register ? Operand::Kind::Register : Operand::Kind::Parameter;
    operand.index = formal.index;
    wait_for(operand);
  }
  void wait_for(const Operand& operand) {
    if (operand.kind == Operand::Kind::Parameter) return wait_for_variable(operand.index);
    rows_.for_each_slot(operand, [this](uint32_t slot) { linkage_.waits.push_back(static_cast<uint16_t>(slot)); });
  }

  const ptx::Kernel& kernel_;
  OperandRows& rows_;
  CompiledKernel& out_;
  Linkage linkage_;
};

}  // namespace

const ptx::Symbol* passed_variable(const ptx::Kernel& kernel, const Operand& operand) {
  if (operand.kind != Operand::Kind::Memory || operand.base != Operand::Base::Symbol ||
      operand.scope != Operand::Scope::Kernel)
    return nullptr;
  const ptx::Symbol& symbol = kernel.symbols[operand.index];
  return symbol.passed ? &symbol : nullptr;
}

void link_functions(const ptx::Kernel& kernel, OperandRows& rows, CompiledKernel& out) {
  FunctionLinkage(kernel, rows, out).run();
}

}  // namespace warptime::sim
