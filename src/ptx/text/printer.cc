// Instructions and operands as text. The names of labels are those of the source, or $L and the index of the
// instruction.
#include "ptx/text/printer.h"

#include <algorithm>

#include "ptx/syntax/mnemonic.h"

namespace warptime::ptx {

namespace {

std::string offset_text(uint64_t bits) {
  auto offset = static_cast<int64_t>(bits);
  if (offset == 0) return "";
  return offset > 0 ? fmt::format("+{}", offset) : fmt::format("{}", offset);
}

std::string_view symbol_name(const Module& module, const Kernel& kernel, const Operand& operand) {
  return operand.scope == Operand::Scope::Module ? module.symbols[operand.index].name
                                                 : kernel.symbols[operand.index].name;
}

std::string memory_text(const Module& module, const Kernel& kernel, const Operand& operand) {
  switch (operand.base) {
    case Operand::Base::None: return fmt::format("[{}]", static_cast<int64_t>(operand.bits));
    case Operand::Base::Register:
      return fmt::format("[{}{}]", kernel.registers[operand.index].name, offset_text(operand.bits));
    case Operand::Base::Symbol:
      return fmt::format("[{}{}]", symbol_name(module, kernel, operand), offset_text(operand.bits));
  }
  return "";
}

}  // namespace

std::string label_text(uint32_t instruction) { return fmt::format("$L{}", instruction); }
std::string table_text(uint32_t table) { return fmt::format("$T{}", table); }

std::vector<uint32_t> prototypes_of(const Kernel& kernel) {
  std::vector<uint32_t> out;
  for (uint32_t i = 0; i < kernel.own_instructions; ++i) {
    std::span<const Operand> operands = kernel.operands_of(kernel.instructions[i]);
    if (!is_indirect_call(operands)) continue;
    if (std::find(out.begin(), out.end(), operands[1].index) == out.end()) out.push_back(operands[1].index);
  }
  return out;
}
std::string prototype_text(const Kernel& kernel, uint32_t function) {
  std::vector<uint32_t> all = prototypes_of(kernel);
  return fmt::format("$P{}", std::find(all.begin(), all.end(), function) - all.begin());
}

std::string constant_text(uint64_t bits_, Type type) {
  switch (info(type).kind) {
    case TypeKind::Float:
      if (type == Type::F64) return fmt::format("0d{:016X}", bits_);
      if (type == Type::F32) return fmt::format("0f{:08X}", bits_);
      return fmt::format("{}", bits_);
    case TypeKind::Signed: {
      uint32_t unused = 64 - bits(type);
      return fmt::format("{}", static_cast<int64_t>(bits_ << unused) >> unused);
    }
    case TypeKind::Unsigned:
    case TypeKind::Bits:
    case TypeKind::Packed:
    case TypeKind::Predicate:
    case TypeKind::Element: break;
  }
  return fmt::format("{}", bits_);
}

namespace {

/// The label's or the list's name, as the source has it; empty: the module was not read from a text. `bits`: its first
/// byte << 32 | its length (syntax/labels.cc).
std::string_view written_name(const Module& module, const Operand& operand) {
  const uint64_t begin = operand.bits >> 32, length = operand.bits & 0xffffffff;
  if (module.source == nullptr || length == 0 || begin + length > module.source->text().size()) return {};
  return module.source->text().substr(begin, length);
}

}  // namespace

std::string operand_text(const Module& module, const Kernel& kernel, const Operand& operand, LabelNames labels) {
  switch (operand.kind) {
    case Operand::Kind::None: return "";
    case Operand::Kind::Register: {
      std::string_view sign = !operand.negated ? "" : operand.type == Type::Pred ? "!" : "-";
      std::string out = fmt::format("{}{}", sign, kernel.registers[operand.index].name);
      if (operand.bits != 0) out += '.';
      for (uint64_t rest = operand.bits; rest != 0; rest >>= 8) out += static_cast<char>(rest & 0xff);
      return out;
    }
    case Operand::Kind::Immediate: return constant_text(operand.bits, operand.type);
    case Operand::Kind::Special: return std::string(name(static_cast<Special>(operand.index)));
    case Operand::Kind::SymbolAddress:
      return fmt::format("{}{}", symbol_name(module, kernel, operand), offset_text(operand.bits));
    case Operand::Kind::Memory: return memory_text(module, kernel, operand);
    case Operand::Kind::Vector: {
      std::string out = "{";
      for (uint32_t i = 0; i < operand.count; ++i)
        out += (i ? ", " : "") + operand_text(module, kernel, kernel.operands[operand.index + i]);
      return out + "}";
    }
    case Operand::Kind::Label:
    case Operand::Kind::Table: {
      std::string_view name = labels == LabelNames::Written ? written_name(module, operand) : std::string_view();
      if (!name.empty()) return std::string(name);
      return operand.kind == Operand::Kind::Label ? label_text(operand.index) : table_text(operand.index);
    }
    case Operand::Kind::Function:
    case Operand::Kind::FunctionAddress: return module.functions[operand.index].name;
    case Operand::Kind::Parameter: return kernel.symbols[operand.index].name;
    case Operand::Kind::Sink: return "_";
  }
  return "";
}

namespace {

/// "(result), function, (argument, argument)", "(result), register, (argument, argument), prototype"
std::string call_text(const Module& module, const Kernel& kernel, const Instruction& instruction) {
  std::string out;
  auto append = [&](const Operand& operand) {
    if (operand.kind == Operand::Kind::None) return;
    std::string text = operand_text(module, kernel, operand);
    if (operand.kind == Operand::Kind::Vector) text = "(" + text.substr(1, text.size() - 2) + ")";
    out += (out.empty() ? "" : ", ") + text;
  };
  std::span<const Operand> operands = kernel.operands_of(instruction);
  bool by_register = is_indirect_call(operands);
  append(operands[0]);
  append(operands[by_register ? 3 : 1]);
  append(operands[2]);
  if (by_register) out += ", " + prototype_text(kernel, operands[1].index);
  return out;
}

/// A comparison that the front end made of a mov.pred from %is_explicit_cluster.
bool reads_explicit_cluster(std::span<const Operand> operands) {
  return std::any_of(operands.begin(), operands.end(), [](const Operand& operand) {
    return operand.kind == Operand::Kind::Special && static_cast<Special>(operand.index) == Special::ExplicitCluster;
  });
}

}  // namespace

std::string to_text(const Module& module, const Kernel& kernel, const Instruction& instruction, bool guard) {
  return to_text(module, kernel, instruction, guard, LabelNames::Written);
}

std::string to_text(const Module& module, const Kernel& kernel, const Instruction& instruction, bool guard,
                    LabelNames labels) {
  std::string out;
  if (guard && instruction.guard != kNoIndex)
    out = fmt::format("@{}{} ", instruction.guard_negated ? "!" : "", kernel.registers[instruction.guard].name);
  auto operands = kernel.operands_of(instruction);
  if (reads_explicit_cluster(operands))
    return fmt::format("{}mov.pred {}, {}{};", out, operand_text(module, kernel, operands[0], labels),
                       instruction.mods.has(Mod::Eq) ? "!" : "", name(Special::ExplicitCluster));
  out += spelling_text(instruction);
  if (effect_of(*instruction.card->card, *instruction.form) == Effect::Call)
    return out + " " + call_text(module, kernel, instruction) + ";";
  OperandRules rules = parse_operand_rules(operands_of(*instruction.card->card, *instruction.form));
  std::string_view separator = " ";
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].kind == Operand::Kind::None) continue;
    if (rules.list[i].after_bar) separator = "|";
    if (rules.list[i].coordinates) out.pop_back();  // the ']' of their texture
    out += separator;
    const bool is_element = rules.list[i].vector && operands[i].kind == Operand::Kind::Register &&
                            !(instruction.mods & mods(Mod::V2, Mod::V4, Mod::V8)).empty();  // of a vector in memory
    out += is_element ? "{" : "";
    out += operand_text(module, kernel, operands[i], labels);
    out += is_element ? "}" : "";
    if (rules.list[i].coordinates) out += "]";
    separator = ", ";
  }
  return out + ";";
}

}  // namespace warptime::ptx
