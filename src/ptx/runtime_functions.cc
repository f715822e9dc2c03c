#include "ptx/runtime_functions.h"

#include <fmt/format.h>

#include <algorithm>

namespace warptime::ptx {

namespace {

bool fits(std::string_view widths, const Kernel& function, const std::vector<Parameter>& parameters,
          uint8_t address_bytes) {
  if (widths.size() != parameters.size()) return false;
  for (size_t i = 0; i < widths.size(); ++i) {
    const Parameter& parameter = parameters[i];
    uint64_t size = parameter.is_register ? bytes(function.registers[parameter.index].type)
                                          : function.symbols[parameter.index].size;
    if (size != bytes_of(widths[i], address_bytes)) return false;
  }
  return true;
}

bool fits(const RuntimeFunctionRow& row, const Kernel& function, uint8_t address_bytes) {
  return fits(row.results, function, function.results, address_bytes) &&
         fits(row.arguments, function, function.arguments, address_bytes);
}

std::string parameters_text(std::string_view widths, uint8_t address_bytes, char first) {
  std::string out;
  for (char width : widths)
    out += fmt::format("{}.param .b{} {}", out.empty() ? "" : ", ", 8 * bytes_of(width, address_bytes), first++);
  return fmt::format("({})", out);
}

}  // namespace

const RuntimeFunctionRow* find_runtime_function(std::string_view name) {
  auto row = std::find_if(kRuntimeFunctions.begin(), kRuntimeFunctions.end(),
                          [name](const RuntimeFunctionRow& r) { return r.name == name; });
  return row == kRuntimeFunctions.end() ? nullptr : &*row;
}

const RuntimeFunctionRow* runtime_function(const Module& module, const Kernel& function) {
  if (function.has_body || function.is_prototype) return nullptr;
  const RuntimeFunctionRow* row = find_runtime_function(function.name);
  return row != nullptr && fits(*row, function, module.address_bytes) ? row : nullptr;
}

std::string declaration_text(const RuntimeFunctionRow& row, uint8_t address_bytes) {
  std::string results = row.results.empty() ? "" : parameters_text(row.results, address_bytes, 'r') + " ";
  return fmt::format(".extern .func {}{} {};", results, row.name, parameters_text(row.arguments, address_bytes, 'a'));
}

namespace {

std::string why_not_callable(const Module& module, const Kernel& function) {
  if (const RuntimeFunctionRow* row = find_runtime_function(function.name))
    return fmt::format("the runtime's function is {}", declaration_text(*row, module.address_bytes));
  for (std::string_view prefix : {"cuda", "__cuda"})
    if (function.name.starts_with(prefix))
      return "the device runtime (kernels launched by kernels) is not simulated; launch that kernel from the host";
  std::vector<std::string_view> names;
  for (const RuntimeFunctionRow& row : kRuntimeFunctions) names.push_back(row.name);
  return fmt::format("link it into the module; only {} need no definition", fmt::join(names, ", "));
}

}  // namespace

Diagnostic undefined_function(const Module& module, const Kernel& function, SourceSpan call) {
  return {Severity::Error, call, fmt::format("\"{}\" is declared but not defined in this module", function.name),
          why_not_callable(module, function)};
}

std::vector<Diagnostic> why_not_runnable(const Module& module, const Kernel& kernel) {
  std::vector<Diagnostic> out = unsupported_of(module, kernel);
  std::vector<const Kernel*> known;
  for (const Instruction& instruction : kernel.instructions) {
    if (is_indirect_call(kernel.operands_of(instruction))) continue;
    for (const Operand& operand : kernel.operands_of(instruction)) {
      if (operand.kind != Operand::Kind::Function) continue;
      const Kernel& function = module.functions[operand.index];
      if (function.has_body || function.is_prototype || runtime_function(module, function) != nullptr) continue;
      if (std::find(known.begin(), known.end(), &function) != known.end()) continue;
      known.push_back(&function);
      out.push_back(undefined_function(module, function, instruction.where));
    }
  }
  return out;
}

}  // namespace warptime::ptx
