#include "ptx/text/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/listed.h"
#include "base/plural.h"
#include "ptx/analysis/control_flow.h"
#include "ptx/runtime_functions.h"

namespace warptime::ptx {

namespace {

std::string type_text(const Symbol& symbol) {
  uint32_t width = bytes(symbol.type);
  if (symbol.size == width) return fmt::format(".{}", name(symbol.type));
  return fmt::format(".{}[{}]", name(symbol.type), symbol.size / width);
}

std::string threads_text(std::string_view directive, const uint32_t (&threads)[3]) {
  if (threads[0] == 0) return "";
  return fmt::format("  {:<14}{} x {} x {}\n", directive, threads[0], threads[1], threads[2]);
}

std::string parameters_text(const Kernel& kernel) {
  std::string out = fmt::format("  {:<14}{}\n", "parameters",
                                kernel.parameters.empty() ? "none" : plural(kernel.parameter_bytes, "byte"));
  size_t name_width = 0, type_width = 0;
  for (uint32_t index : kernel.parameters) {
    name_width = std::max(name_width, kernel.symbols[index].name.size());
    type_width = std::max(type_width, type_text(kernel.symbols[index]).size());
  }
  for (size_t p = 0; p < kernel.parameters.size(); ++p) {
    const Symbol& symbol = kernel.symbols[kernel.parameters[p]];
    out +=
        fmt::format("    {:>4}  {:<{}}  {:<{}}{}\n", symbol.offset, type_text(symbol), type_width, symbol.name,
                    kernel.parameter_is_address[p] ? name_width : 0, kernel.parameter_is_address[p] ? "  address" : "");
  }
  return out;
}

std::string block_name(const Kernel& kernel, uint32_t block) {
  return block == kernel.blocks.size() ? (kernel.is_entry ? "exit" : "return") : fmt::format("B{}", block);
}

bool is_branch(const Instruction& instruction) {
  return branches(effect_of(*instruction.card->card, *instruction.form));
}

std::string blocks_text(const Kernel& kernel) {
  std::string out = fmt::format("  {:<14}{}, {}\n", "code", plural(kernel.own_instructions, "instruction"),
                                plural(kernel.blocks.size(), "basic block"));
  for (uint32_t b = 0; b < kernel.blocks.size(); ++b) {
    const BasicBlock& block = kernel.blocks[b];
    const Instruction& last = kernel.instructions[block.end - 1];
    std::string to;
    for (uint32_t successor : block.successors) to += (to.empty() ? "" : ", ") + block_name(kernel, successor);
    uint32_t first_line = kernel.instructions[block.begin].line;
    std::string lines =
        first_line == last.line ? fmt::format("line {}", last.line) : fmt::format("lines {}-{}", first_line, last.line);
    out += fmt::format("    {:<5} {:<16} -> {}", block_name(kernel, b), lines, to.empty() ? "none" : to);
    if (last.reconvergence != kNoIndex)
      out += fmt::format("   line {} may diverge, reconverges at {} (line {})", last.line,
                         block_name(kernel, block_of(kernel, last.reconvergence)),
                         kernel.instructions[last.reconvergence].line);
    else if (block.successors.size() > 1 && is_branch(last))
      out += fmt::format("   line {} may diverge, until the threads {}", last.line, kernel.is_entry ? "end" : "return");
    out += "\n";
  }
  return out;
}

std::string passed_text(const Kernel& function, std::string_view what, const std::vector<Parameter>& parameters) {
  std::vector<std::string> texts;
  for (const Parameter& parameter : parameters) {
    if (parameter.is_register)
      texts.push_back(fmt::format("register .{}", name(function.registers[parameter.index].type)));
    else texts.push_back(type_text(function.symbols[parameter.index]));
  }
  return fmt::format("  {:<14}{}\n", what, texts.empty() ? "none" : fmt::format("{}", fmt::join(texts, ", ")));
}

/// "  cannot run    line 5: ..." and so on, a line each; "": it can.
std::string problems_text(const std::vector<Diagnostic>& problems) {
  constexpr size_t kShown = 5;
  std::string out;
  for (size_t i = 0; i < std::min(problems.size(), kShown); ++i) {
    const SourceSpan& where = problems[i].where;
    out += fmt::format("  {:<14}line {}: {}\n", i == 0 ? "cannot run" : "", where.source->place_of(where.begin).line,
                       problems[i].message);
  }
  if (problems.size() > kShown) out += fmt::format("  {:<14}and {} more\n", "", problems.size() - kShown);
  return out;
}

std::string function_text(const Module& module, const Kernel& function) {
  std::string out = fmt::format("\nfunction {}\n", function.name);
  if (runtime_function(module, function) != nullptr) return out + "  supplied by the runtime\n";
  if (!function.has_body) return out + "  only declared\n";
  if (function.unsupported != kNoIndex) return out + problems_text(module.unsupported[function.unsupported]);
  out += fmt::format("  {:<14}{} per thread (estimate), without those of functions that it calls\n", "registers",
                     function.estimated_registers);
  if (function.static_shared_bytes != 0)
    out += fmt::format("  {:<14}{}\n", "shared", plural(function.static_shared_bytes, "byte"));
  if (function.local_bytes != 0)
    out += fmt::format("  {:<14}{} per thread\n", "local", plural(function.local_bytes, "byte"));
  return out + passed_text(function, "results", function.results) +
         passed_text(function, "arguments", function.arguments) + blocks_text(function);
}

/// The functions that a kernel calls, directly or not, and that are only declared: the runtime's, or the others.
std::vector<std::string_view> declared_functions(const Module& module, const Kernel& kernel, bool of_runtime) {
  std::vector<std::string_view> names;
  for (const Instruction& instruction : kernel.instructions)
    for (const Operand& operand : kernel.operands_of(instruction)) {
      if (operand.kind != Operand::Kind::Function) continue;
      const Kernel& function = module.functions[operand.index];
      if (function.has_body || function.is_prototype) continue;
      if ((runtime_function(module, function) != nullptr) != of_runtime) continue;
      std::string_view name = function.name;
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  return names;
}

std::string functions_text(const Module& module, const Kernel& kernel) {
  std::vector<std::string_view> names;
  for (const LinkedFunction& linked : kernel.functions) names.push_back(module.functions[linked.function].name);
  std::string out;
  if (!names.empty()) out += fmt::format("  {:<14}{}\n", "functions", fmt::join(names, ", "));
  names = declared_functions(module, kernel, true);
  if (!names.empty()) out += fmt::format("  {:<14}{}\n", "runtime", fmt::join(names, ", "));
  names = undefined_functions(module, kernel);
  if (!names.empty()) out += fmt::format("  {:<14}{}: it cannot be launched\n", "undefined", fmt::join(names, ", "));
  return out;
}

/// "2 of 17 kernels cannot run: a, b".
std::string summary(const Module& module) {
  std::vector<std::string_view> names;
  for (const Kernel& kernel : module.kernels)
    if (!why_not_runnable(module, kernel).empty()) names.push_back(kernel.name);
  if (names.empty()) return {};
  return fmt::format("{} of {} cannot run: {}\n", names.size(), plural(module.kernels.size(), "kernel"), listed(names));
}

std::string kernel_report(const Module& module, const Kernel& kernel) {
  std::string out = fmt::format("\nkernel {}\n", kernel.name);
  if (std::vector<Diagnostic> problems = unsupported_of(module, kernel); !problems.empty())
    return out + problems_text(problems) + parameters_text(kernel);
  out += fmt::format("  {:<14}{} per thread (estimate; {} on a G80)\n", "registers", kernel.estimated_registers,
                     kernel.native.registers);
  out += fmt::format("  {:<14}{}{}\n", "shared", plural(kernel.static_shared_bytes, "byte"),
                     kernel.uses_dynamic_shared ? " + dynamic" : "");
  out += fmt::format("  {:<14}{} per thread\n", "local", plural(kernel.local_bytes, "byte"));
  out += threads_text("at most", kernel.max_threads) + threads_text("exactly", kernel.required_threads);
  if (kernel.max_registers != 0)
    out += fmt::format("  {:<14}{}\n", "at most", plural(kernel.max_registers, "register"));
  return out + parameters_text(kernel) + functions_text(module, kernel) + blocks_text(kernel);
}

}  // namespace

std::vector<std::string_view> undefined_functions(const Module& module, const Kernel& kernel) {
  return declared_functions(module, kernel, false);
}

std::string describe(const Module& module, std::string_view kernel) {
  std::string out =
      fmt::format("PTX {}.{} for sm_{}, {}-bit addresses{}\n", module.version / 10, module.version % 10, module.target,
                  module.address_bytes * 8, module.map_f64_to_f32 ? ", f64 mapped to f32" : "");
  out +=
      fmt::format("constant {}, global {}\n", plural(module.const_bytes, "byte"), plural(module.global_bytes, "byte"));
  if (module.kernels.empty()) out += "no kernels\n";
  out += summary(module);
  for (const Kernel& k : module.kernels)
    if (kernel.empty() || k.name == kernel) out += kernel_report(module, k);
  for (uint32_t f = 0; f < module.functions.size(); ++f) {
    if (module.functions[f].is_prototype || module.functions[f].is_entry) continue;
    auto calls = [f](const Kernel& k) {
      return std::any_of(k.functions.begin(), k.functions.end(), [f](const auto& l) { return l.function == f; });
    };
    const Kernel* wanted = kernel.empty() ? nullptr : module.find_kernel(kernel);
    if (kernel.empty() || (wanted != nullptr && calls(*wanted))) out += function_text(module, module.functions[f]);
  }
  return out;
}

}  // namespace warptime::ptx
