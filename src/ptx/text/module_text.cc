// The whole module as PTX text. Reading it back gives the same module, though its registers may be numbered otherwise.
#include <array>
#include <set>
#include <unordered_set>

#include "ptx/analysis/register_uses.h"
#include "ptx/text/printer.h"
#include "ptx/user/user_lines.h"

namespace warptime::ptx {

namespace {

constexpr size_t kLineWidth = 100;

std::string initial_text(const Module& module, const Symbol& symbol) {
  uint32_t width = bytes(symbol.type);
  size_t count = symbol.initial.size() / width, used = 0;
  std::vector<std::string> elements(count);
  for (size_t i = 0; i < count; ++i) {
    uint64_t bits = 0;
    for (uint32_t b = 0; b < width && b < 8; ++b)
      bits |= static_cast<uint64_t>(symbol.initial[i * width + b]) << (8 * b);
    elements[i] = constant_text(bits, symbol.type);
    if (bits != 0) used = i + 1;
  }
  for (const Symbol::Relocation& relocation : symbol.relocations) {
    const std::string& target =
        relocation.is_function ? module.functions[relocation.symbol].name : module.symbols[relocation.symbol].name;
    size_t index = relocation.at / width;
    elements[index] = relocation.generic ? fmt::format("generic({})", target) : target;
    if (relocation.addend > 0) elements[index] += fmt::format("+{}", relocation.addend);
    if (relocation.addend < 0) elements[index] += fmt::format("{}", relocation.addend);
    if (~relocation.mask != 0) elements[index] = fmt::format("0x{:X}({})", relocation.mask, elements[index]);
    used = std::max(used, index + 1);
  }
  elements.resize(used);
  if (symbol.size == width) return elements.empty() ? constant_text(0, symbol.type) : elements[0];
  return fmt::format("{{{}}}", fmt::join(elements, ", "));
}

/// Without the ';' or ',' behind it.
std::string declaration_text(const Module& module, const Symbol& symbol, bool is_pointer) {
  if (symbol.space == Space::Tex) return fmt::format(".global .texref {}", symbol.name);
  uint32_t width = bytes(symbol.type);
  std::string out = fmt::format(".{}", name(symbol.space));
  if (symbol.alignment != width) out += fmt::format(" .align {}", symbol.alignment);
  out += fmt::format(" .{}{} {}", name(symbol.type), is_pointer ? " .ptr" : "", symbol.name);
  if (symbol.size == 0 || symbol.variadic) out += "[]";
  else if (symbol.size != width) out += fmt::format("[{}]", symbol.size / width);
  if (!symbol.initial.empty()) out += " = " + initial_text(module, symbol);
  return out;
}

/// Without those of the functions that the kernel calls.
std::span<const Instruction> own_instructions(const Kernel& kernel) {
  return std::span(kernel.instructions).first(kernel.own_instructions);
}

/// In order of mention, so that it does not matter in which order they were made.
std::vector<uint32_t> mentioned_registers(const Kernel& kernel) {
  std::vector<uint32_t> order;
  std::vector<bool> seen(kernel.registers.size(), false);
  for (const std::vector<Parameter>* parameters : {&kernel.results, &kernel.arguments})
    for (const Parameter& parameter : *parameters)
      if (parameter.is_register) seen[parameter.index] = true;  // declared in the function's head
  for (const Instruction& instruction : own_instructions(kernel)) {
    for_each_register(kernel, instruction, [&](uint32_t reg, bool) {
      if (!seen[reg]) order.push_back(reg);
      seen[reg] = true;
    });
  }
  return order;
}

std::string registers_text(const Kernel& kernel) {
  std::array<std::string, kTypes.size()> lines;
  std::string out;
  auto flush = [&](std::string& line) {
    if (!line.empty()) out += line + ";\n";
    line.clear();
  };
  for (uint32_t index : mentioned_registers(kernel)) {
    const Register& reg = kernel.registers[index];
    if (reg.module_register != 0) continue;
    std::string& line = lines[static_cast<size_t>(reg.type)];
    if (line.size() + reg.name.size() > kLineWidth) flush(line);
    line += line.empty() ? fmt::format("  .reg .{} {}", name(reg.type), reg.name) : ", " + reg.name;
  }
  for (std::string& line : lines) flush(line);
  return out;
}

std::string dimensions_text(std::string_view directive, const uint32_t (&threads)[3]) {
  if (threads[0] == 0) return "";
  return fmt::format("{} {}, {}, {}\n", directive, threads[0], threads[1], threads[2]);
}

/// "(.param .b32 r) " or "(.reg .u32 a, .reg .u32 b)".
std::string parameters_text(const Module& module, const Kernel& function, const std::vector<Parameter>& parameters) {
  std::vector<std::string> texts;
  for (const Parameter& parameter : parameters) {
    if (parameter.is_register) {
      const Register& reg = function.registers[parameter.index];
      texts.push_back(fmt::format(".reg .{} {}", name(reg.type), reg.name));
    } else {
      texts.push_back(declaration_text(module, function.symbols[parameter.index], false));
    }
  }
  return fmt::format("({})", fmt::join(texts, ", "));
}

/// The prototypes of calls through registers.
std::string prototypes_text(const Module& module, const Kernel& kernel) {
  std::string out;
  for (uint32_t index : prototypes_of(kernel)) {
    const Kernel& function = module.functions[index];
    if (!function.targets.empty()) {
      std::vector<std::string_view> names;
      for (uint32_t target : function.targets) names.push_back(module.functions[target].name);
      out += fmt::format("{}: .calltargets {};\n", prototype_text(kernel, index), fmt::join(names, ", "));
      continue;
    }
    std::string results = function.results.empty() ? "" : parameters_text(module, function, function.results) + " ";
    out += fmt::format("{}: .callprototype {}_ {};\n", prototype_text(kernel, index), results,
                       parameters_text(module, function, function.arguments));
  }
  return out;
}

/// The .loc of a place, after those of the calls around it, from which a reader takes the chain.
std::string location_text(const Module& module, uint32_t location) {
  if (location == 0) return "  .loc 0 0 0\n";
  std::string out;
  for (uint32_t at : call_chain(module, location)) {
    const Location& place = module.locations[at];
    std::string own = fmt::format("  .loc {} {} {}", place.file, place.line, place.column);
    if (const std::string& function = module.location_functions[place.function]; !function.empty())
      own += fmt::format(", function_name $L_{}", function);
    if (place.inlined_at != 0) {
      const Location& call = module.locations[place.inlined_at];
      own += fmt::format(", inlined_at {} {} {}", call.file, call.line, call.column);
    }
    out = own + "\n" + out;
  }
  return out;
}

/// The names of inlined functions, as .loc finds them.
std::string debug_strings_text(const Module& module) {
  std::set<std::string_view> names(module.location_functions.begin(), module.location_functions.end());
  names.erase("");
  if (names.empty()) return {};
  std::string out = "\n.section .debug_str\n{\n";
  for (std::string_view name : names) {
    out += fmt::format("$L_{}:\n.b8 ", name);
    for (char c : name) out += fmt::format("{},", static_cast<unsigned char>(c));
    out += "0\n";
  }
  return out + "}\n";
}

std::string body_text(const Module& module, const Kernel& kernel) {
  std::span<const Instruction> instructions = own_instructions(kernel);
  std::vector<bool> target(instructions.size() + 1, false);
  for (const Instruction& instruction : instructions)
    for (const Operand& operand : kernel.operands_of(instruction))
      if (operand.kind == Operand::Kind::Label) target[operand.index] = true;
  std::string out;
  for (uint32_t t = 0; t < kernel.own_tables; ++t) {
    std::vector<std::string> labels;
    for (const Operand& operand : kernel.targets_of(kernel.branch_tables[t])) {
      target[operand.index] = true;
      labels.push_back(label_text(operand.index));
    }
    out += fmt::format("{}: .branchtargets {};\n", table_text(t), fmt::join(labels, ", "));
  }
  out += prototypes_text(module, kernel);
  std::string location = location_text(module, 0);
  for (uint32_t i = 0; i < instructions.size(); ++i) {
    const Instruction& instruction = instructions[i];
    if (target[i]) out += label_text(i) + ":\n";
    if (std::string own = location_text(module, instruction.location); own != location) {
      out += own;
      location = std::move(own);
    }
    if (target[i] && instruction.begins_rolled_loop) out += "  .pragma \"nounroll\";\n";
    out += "  " + to_text(module, kernel, instruction, true, LabelNames::Numbered) + "\n";
  }
  if (target.back()) out += label_text(static_cast<uint32_t>(instructions.size())) + ":\n";
  return out;
}

/// Registers that kernels and functions share, in order of mention.
std::string module_registers_text(const Module& module) {
  std::string out;
  std::unordered_set<uint32_t> seen;
  for (const std::vector<Kernel>* bodies : {&module.functions, &module.kernels})
    for (const Kernel& code : *bodies) {
      for (uint32_t index : mentioned_registers(code)) {
        const Register& reg = code.registers[index];
        if (reg.module_register != 0 && seen.insert(reg.module_register).second)
          out += fmt::format(".reg .{} {};\n", name(reg.type), reg.name);
      }
    }
  return out;
}

/// Without '{' or ';'.
std::string head_text(const Module& module, const Kernel& function) {
  std::string results = function.results.empty() ? "" : parameters_text(module, function, function.results) + " ";
  return fmt::format(".func {}{} {}", results, function.name, parameters_text(module, function, function.arguments));
}

/// Variables, registers and instructions, in braces.
std::string braces_text(const Module& module, const Kernel& kernel) {
  std::vector<bool> declared(kernel.symbols.size(), false);  // in the head
  for (uint32_t parameter : kernel.parameters) declared[parameter] = true;
  for (const std::vector<Parameter>* parameters : {&kernel.results, &kernel.arguments})
    for (const Parameter& parameter : *parameters)
      if (!parameter.is_register) declared[parameter.index] = true;
  std::string out = "{\n";
  for (uint32_t s = 0; s < kernel.own_symbols; ++s)
    if (!declared[s] && !kernel.symbols[s].from_module)
      out += "  " + declaration_text(module, kernel.symbols[s], false) + ";\n";
  return out + registers_text(kernel) + body_text(module, kernel) + "}\n";
}

/// A kernel's name and parameters.
std::string entry_text(const Module& module, const Kernel& kernel) {
  std::string out = fmt::format("\n.visible .entry {}(", kernel.name);
  for (size_t p = 0; p < kernel.parameters.size(); ++p) {
    const Symbol& symbol = kernel.symbols[kernel.parameters[p]];
    out += fmt::format("{}\n  {}", p ? "," : "", declaration_text(module, symbol, kernel.parameter_is_address[p]));
  }
  return out + (kernel.parameters.empty() ? ")\n" : "\n)\n");
}

std::string kernel_text(const Module& module, const Kernel& kernel) {
  std::string out = entry_text(module, kernel);
  out += dimensions_text(".maxntid", kernel.max_threads) + dimensions_text(".reqntid", kernel.required_threads);
  if (kernel.max_registers != 0) out += fmt::format(".maxnreg {}\n", kernel.max_registers);
  if (kernel.min_blocks != 0) out += fmt::format(".minnctapersm {}\n", kernel.min_blocks);
  out += dimensions_text(".reqnctapercluster", kernel.required_cluster);
  if (kernel.explicit_cluster) out += ".explicitcluster\n";
  if (kernel.max_cluster_blocks != 0) out += fmt::format(".maxclusterrank {}\n", kernel.max_cluster_blocks);
  return out + braces_text(module, kernel);
}

std::string variant_of(const Module& module) { return std::string(module.variant == 0 ? 0 : 1, module.variant); }

}  // namespace

std::string to_text(const Module& module) {
  std::string out = fmt::format(".version {}.{}\n.target sm_{}{}{}\n.address_size {}\n", module.version / 10,
                                module.version % 10, module.target, variant_of(module),
                                module.map_f64_to_f32 ? ", map_f64_to_f32" : "", module.address_bytes * 8);
  for (size_t i = 0; i < module.files.size(); ++i)
    if (!module.files[i].empty()) out += fmt::format(".file {} \"{}\"\n", i, module.files[i]);
  std::string symbols, functions;
  bool names_functions = false;  // a variable holds the address of one
  for (const Symbol& symbol : module.symbols) {
    symbols += fmt::format("{}{};\n", symbol.external ? ".extern " : "", declaration_text(module, symbol, false));
    for (const Symbol::Relocation& relocation : symbol.relocations) names_functions |= relocation.is_function;
  }
  std::unordered_set<std::string_view> addressed;
  for (const Kernel& function : module.functions) {
    if (function.is_entry) addressed.insert(function.name);
    else if (!function.is_prototype) functions += head_text(module, function) + ";\n";
    if (function.is_entry && module.find_kernel(function.name) == nullptr)
      functions += fmt::format(".entry {};\n", function.name);
  }
  for (const Kernel& kernel : module.kernels)
    if (addressed.contains(kernel.name)) functions += entry_text(module, kernel) + ";\n";
  out += module_registers_text(module);
  out += names_functions ? functions + symbols : symbols + functions;
  for (const Kernel& function : module.functions)
    if (function.has_body && function.unsupported == kNoIndex)
      out += "\n" + head_text(module, function) + "\n" + braces_text(module, function);
  for (const Kernel& kernel : module.kernels)
    if (unsupported_of(module, kernel).empty()) out += kernel_text(module, kernel);
  return out + debug_strings_text(module);
}

}  // namespace warptime::ptx
