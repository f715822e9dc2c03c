// Values that are passed live in rows of the function (linker.h), so an argument has one size in all calls: that of the
// largest. A shorter list leaves the rest as it was, and PTX gives what lies there no meaning.
#include "ptx/analysis/variadic_parameters.h"

#include <algorithm>

#include "ptx/analysis/call_graph.h"

namespace warptime::ptx {

namespace {

Symbol* list_of(Kernel& function) {
  if (function.arguments.empty() || function.arguments.back().is_register) return nullptr;
  Symbol& last = function.symbols[function.arguments.back().index];
  return last.variadic ? &last : nullptr;
}

/// What calls in this code pass to lists, by function.
void collect(const Kernel& code, std::vector<Kernel>& functions, std::vector<uint64_t>& sizes) {
  for (const Instruction& instruction : code.instructions) {
    if (effect_of(*instruction.card->card, *instruction.form) != Effect::Call) continue;
    std::span<const Operand> operands = code.operands_of(instruction);
    uint32_t callee = operands[1].index;
    const Operand& arguments = operands[2];
    if (list_of(functions[callee]) == nullptr || arguments.count < functions[callee].arguments.size()) continue;
    const Operand& last = code.operands[arguments.index + arguments.count - 1];
    sizes[callee] = std::max(sizes[callee], code.symbols[last.index].size);
  }
}

/// What the function itself reads by the argument's name.
uint64_t read_end(const Kernel& function, uint32_t symbol) {
  uint64_t end = 0;
  for (const Instruction& instruction : function.instructions) {
    for (const Operand& operand : function.operands_of(instruction)) {
      bool named = operand.kind == Operand::Kind::Memory && operand.base == Operand::Base::Symbol &&
                   operand.scope == Operand::Scope::Kernel && operand.index == symbol;
      if (named) end = std::max(end, operand.bits + uint64_t{bytes(instruction.type)} * instruction.vector);
    }
  }
  return end;
}

}  // namespace

void size_variadic_parameters(Module& module) {
  std::vector<Kernel>& functions = module.functions;
  bool any = std::any_of(functions.begin(), functions.end(), [](Kernel& f) { return list_of(f) != nullptr; });
  if (!any) return;
  std::vector<uint64_t> sizes(functions.size(), 0);
  for (std::vector<Kernel>* bodies : {&module.kernels, &functions})
    for (const Kernel& code : *bodies) collect(code, functions, sizes);
  for (uint32_t prototype = 0; prototype < functions.size(); ++prototype) {
    if (!functions[prototype].is_prototype || sizes[prototype] == 0) continue;
    for (uint32_t target : call_targets(module, prototype)) sizes[target] = std::max(sizes[target], sizes[prototype]);
  }
  for (uint32_t f = 0; f < functions.size(); ++f) {
    Kernel& function = functions[f];
    Symbol* list = list_of(function);
    if (list == nullptr || !function.has_body) continue;
    uint64_t least = bytes(list->type);  // so that its address is of something
    list->size = std::max({least, sizes[f], read_end(function, function.arguments.back().index)});
    list->offset = function.passed_rows;
    function.passed_rows += static_cast<uint32_t>((list->size + 3) / 4);
  }
}

}  // namespace warptime::ptx
