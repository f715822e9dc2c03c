#include "sim/decode/function_linkage.h"

#include <algorithm>

#include "base/assert.h"
#include "ptx/analysis/call_graph.h"
#include "sim/decode/recursion.h"

namespace warptime::sim {

namespace {

using ptx::Effect, ptx::Operand;

class FunctionLinkage {
 public:
  FunctionLinkage(const ptx::Module& module, const ptx::Kernel& kernel, OperandRows& rows, CompiledKernel& out)
      : module_(module), kernel_(kernel), rows_(rows), out_(out) {}

  void run() {
    add_recursions(kernel_, out_);
    for (uint32_t i = 0; i < kernel_.instructions.size(); ++i) {
      Insn& insn = out_.insns[i];
      bool linked = insn.effect == Effect::Call || insn.effect == Effect::RuntimeCall ||
                    insn.effect == Effect::Return || insn.effect == Effect::IndexedBranch;
      if (!linked) continue;
      linkage_ = {};
      if (insn.effect == Effect::RuntimeCall) runtime_call(kernel_.operands_of(kernel_.instructions[i]));
      if (insn.effect == Effect::Call) call(i, insn);
      if (insn.effect == Effect::Return) ret(i);
      if (insn.effect == Effect::IndexedBranch) indexed_branch(kernel_.instructions[i]);
      insn.set_payload(
          LinkagePayload{static_cast<uint32_t>(out_.linkages.size()), kernel_.instructions[i].reconvergence});
      out_.linkages.push_back(std::move(linkage_));
    }
    for (auto [linkage, predicate] : predicate_waits_)  // which follow the rows, all of which are known now
      out_.linkages[linkage].waits.push_back(static_cast<uint16_t>(out_.rows + predicate));
    lay_out_recursions(kernel_, out_);
  }

 private:
  void call(uint32_t instruction, Insn& insn) {
    // Results, function, arguments; a register.
    std::span<const Operand> operands = kernel_.operands_of(kernel_.instructions[instruction]);
    const ptx::LinkedFunction* caller = kernel_.function_of(instruction);
    cycle_ = caller == nullptr ? 0 : caller->cycle;
    uint32_t function = operands[1].index;
    if (is_indirect_call(operands)) {
      insn.src[0] = rows_.source(operands[3]);
      linkage_.address_bytes = static_cast<uint8_t>(ptx::bytes(rows_.stored_type(operands[3])));
      wait_for(operands[3]);
      for (uint32_t target : ptx::call_targets(module_, function)) callee(operands, target);
    } else {
      callee(operands, function);
    }
  }

  void runtime_call(std::span<const Operand> operands) {
    RuntimeLink& link = linkage_.runtime;
    link.row = ptx::runtime_function(module_, module_.functions[operands[1].index]);
    SIM_ASSERT(link.row != nullptr, "a call of a function that the runtime does not have");
    for (size_t i = 0; i < operands[2].count; ++i) {
      const Operand& from = kernel_.operands[operands[2].index + i];
      link.arguments.push_back({words_of(from), bytes_of(link.row->arguments[i])});
      wait_for(from);
    }
    if (operands[0].count != 0 && kernel_.operands[operands[0].index].kind != Operand::Kind::Sink) {
      const Operand& to = kernel_.operands[operands[0].index];
      link.result = {words_of(to), bytes_of(link.row->results[0])};
      wait_for(to);
    }
    out_.calls_runtime = true;
    out_.uses_heap = out_.uses_heap || link.row->uses_heap;
  }

  void callee(std::span<const Operand> operands, uint32_t function) {
    auto linked = std::find_if(kernel_.functions.begin(), kernel_.functions.end(),
                               [&](const auto& f) { return f.function == function; });
    SIM_ASSERT(linked != kernel_.functions.end(), "a call of function {}, which is not linked", function);
    Callee out{ptx::function_address(function), linked->first_instruction, ptx::kNoIndex, {}, {}};
    if (linked->cycle != 0 && linked->cycle == cycle_) {
      out.recursion = recursion_of(kernel_, *linked);
      wait_for(out_.recursions[out.recursion]);
    }
    for (size_t i = 0; i < operands[0].count; ++i) {
      const Operand& to = kernel_.operands[operands[0].index + i];
      if (to.kind == Operand::Kind::Sink) continue;
      out.results.push_back(
          {words_of(linked->results[i]), words_of(to), bytes(linked->results[i]), is_predicate(linked->results[i])});
      wait_for(to);
    }
    for (size_t i = 0; i < operands[2].count; ++i) {
      const Operand& from = kernel_.operands[operands[2].index + i];
      uint32_t count = bytes(linked->arguments[i]);
      if (from.kind == Operand::Kind::Parameter)  // a list may be shorter than the longest
        count = std::min(count, static_cast<uint32_t>(kernel_.symbols[from.index].size));
      out.arguments.push_back(
          {words_of(from), words_of(linked->arguments[i]), count, is_predicate(linked->arguments[i])});
      wait_for(from);
      wait_for(linked->arguments[i]);
    }
    linkage_.callees.push_back(std::move(out));
  }

  void ret(uint32_t instruction) {
    const ptx::LinkedFunction* function = kernel_.function_of(instruction);
    SIM_ASSERT(function != nullptr, "a return outside of functions");
    linkage_.function = function->first_instruction;
    for (const ptx::Parameter& result : function->results) wait_for(result);
    if (function->cycle != 0) wait_for(out_.recursions[recursion_of(kernel_, *function)]);
  }

  void indexed_branch(const ptx::Instruction& in) {
    for (const Operand& target : kernel_.targets_of(kernel_.branch_tables[kernel_.operands_of(in)[1].index]))
      linkage_.targets.push_back(target.index);
  }

  uint32_t bytes(const ptx::Parameter& parameter) const {
    return parameter.is_register ? ptx::bytes(kernel_.registers[parameter.index].type)
                                 : static_cast<uint32_t>(kernel_.symbols[parameter.index].size);
  }

  uint32_t bytes_of(char width) const { return ptx::bytes_of(width, module_.address_bytes); }

  bool is_predicate(const ptx::Parameter& parameter) const {
    return parameter.is_register && kernel_.registers[parameter.index].type == ptx::Type::Pred;
  }
  Transfer::Words variable(uint32_t symbol) const {
    return {{static_cast<uint32_t>(kernel_.symbols[symbol].offset) * kRowBytes}, 4, kRowBytes};
  }
  Transfer::Words words_of(const ptx::Parameter& parameter) const {
    if (!parameter.is_register) return variable(parameter.index);
    uint32_t row = kernel_.rows.row_of[parameter.index];
    return {{is_predicate(parameter) ? row : row * kRowBytes}, bytes(parameter), 4};
  }
  Transfer::Words words_of(const Operand& operand) {
    if (operand.kind == Operand::Kind::Parameter) return variable(operand.index);
    return {rows_.source(operand), ptx::bytes(rows_.stored_type(operand)), 4};
  }

  /// For every register of the function: outstanding values must arrive before the register is saved.
  void wait_for(const Recursion& function) {
    for (const Recursion::Row& row : function.rows)
      linkage_.waits.push_back(static_cast<uint16_t>(row.offset / kRowBytes));
    for (uint32_t predicate : function.predicates) predicate_waits_.emplace_back(out_.linkages.size(), predicate);
  }
  void wait_for_variable(uint32_t index) {
    const ptx::Symbol& symbol = kernel_.symbols[index];
    for (uint64_t row = 0; row < (symbol.size + 3) / 4; ++row)
      linkage_.waits.push_back(static_cast<uint16_t>(symbol.offset + row));
  }
  void wait_for(const ptx::Parameter& parameter) {
    Operand operand;
    operand.kind = parameter.is_register ? Operand::Kind::Register : Operand::Kind::Parameter;
    operand.index = parameter.index;
    wait_for(operand);
  }
  void wait_for(const Operand& operand) {
    if (operand.kind == Operand::Kind::Parameter) return wait_for_variable(operand.index);
    rows_.for_each_slot(operand, [this](uint32_t slot) {
      if ((slot & OperandRows::kPredicate) == 0) linkage_.waits.push_back(static_cast<uint16_t>(slot));
      else predicate_waits_.emplace_back(out_.linkages.size(), slot & ~OperandRows::kPredicate);
    });
  }

  const ptx::Module& module_;
  const ptx::Kernel& kernel_;
  OperandRows& rows_;
  CompiledKernel& out_;
  Linkage linkage_;
  std::vector<std::pair<size_t, uint32_t>> predicate_waits_;  // linkage, predicate
  uint32_t cycle_ = 0;                                        // that the caller is in
};

}  // namespace

const ptx::Symbol* passed_variable(const ptx::Kernel& kernel, const Operand& operand) {
  if (operand.kind != Operand::Kind::Memory || operand.base != Operand::Base::Symbol ||
      operand.scope != Operand::Scope::Kernel)
    return nullptr;
  const ptx::Symbol& symbol = kernel.symbols[operand.index];
  return symbol.passed ? &symbol : nullptr;
}

void link_functions(const ptx::Module& module, const ptx::Kernel& kernel, OperandRows& rows, CompiledKernel& out) {
  FunctionLinkage(module, kernel, rows, out).run();
}

}  // namespace warptime::sim
