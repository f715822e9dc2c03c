// The shape of the operand list: how many, which are vectors, addresses and labels. Names are in operand_names.cc.
#include "ptx/syntax/operand_checker.h"

#include "base/plural.h"
#include "ptx/isa/cards.h"
#include "ptx/isa/not_supported.h"

namespace warptime::ptx {

namespace {

/// "d, a, b": the operands of the form, for messages.
std::string roles_of(const OperandRules& rules) {
  std::string out;
  for (const OperandRule& rule : rules.all()) {
    std::string role(rule.role);
    if (rule.kind == OperandRule::Kind::Memory) role = "[" + role + "]";
    if (rule.after_bar) out += fmt::format("{{|{}}}", role);
    else if (rule.optional) out += fmt::format("{{{}{}}}", out.empty() ? "" : ", ", role);
    else out += (out.empty() ? "" : ", ") + role;
  }
  return out;
}

std::string counted(size_t count) { return count == 1 ? "1 operand" : fmt::format("{} operands", count); }

/// Whether the operand can only be a number that is written there.
bool is_constant(const OperandRule& rule) {
  using Limit = OperandRule::Limit;
  return rule.limit == Limit::Groups || rule.limit == Limit::CopySize || rule.limit == Limit::CopySize16 ||
         rule.limit == Limit::Sign || rule.limit == Limit::Zero || rule.limit == Limit::Quarter ||
         (rule.limit == Limit::Bit && rule.fixed != Type::Pred);
}

size_t plain_count(const RawOperands& raw) {
  size_t count = 0;
  for (size_t i = 0; i < raw.count; ++i) count += !raw.list[i].after_bar;
  return count;
}

}  // namespace

bool OperandChecker::check_count(const Spelling& spelling, std::string_view spelled, SourceSpan where,
                                 const RawOperands& raw) {
  const OperandRules& rules = spelling.rules;
  size_t given = plain_count(raw);
  if (given < rules.required || given > rules.most) {
    std::string wanted = rules.required == rules.most
                             ? counted(rules.most)
                             : fmt::format("{} {} {} operands", rules.required,
                                           rules.most == rules.required + 1 ? "or" : "to", rules.most);
    if (const NotSupported* row = not_supported_operands(spelling.card->card->name, given))
      return fe_.tokens.unsupported(
          where,
          fmt::format("\"{}\" with {} is not supported: {} are not simulated", spelled, counted(given), row->what),
          since_text(*row));
    return fe_.tokens.unsupported(where, fmt::format("\"{}\" takes {}, {} given", spelled, wanted, given),
                                  rules.count ? fmt::format("{} {}", spelled, roles_of(rules)) : std::string());
  }
  return true;
}

bool OperandChecker::check(const Spelling& spelling, std::string_view spelled, SourceSpan where, const RawOperands& raw,
                           Instruction& instruction) {
  if (!check_count(spelling, spelled, where, raw)) return false;
  spelling_ = &spelling;
  spelled_ = spelled;
  space_ = spelling.space;
  Effect effect = effect_of(*spelling.card->card, *spelling.form);
  bool exact_width = spelling.type == Type::BF16 || spelling.type2 == Type::BF16 || spelling.type == Type::TF32 ||
                     !is_declared(spelling.type) || !is_declared(spelling.type2);
  wider_registers_ = effect == Effect::Load || effect == Effect::Store || (is<Cvt>(spelling) && !exact_width);

  std::array<Operand, OperandRules::kMax> out{};
  std::array<SourceSpan, OperandRules::kMax> places{};
  size_t before = kernel_.operands.size(), next = 0;
  size_t optional_given = plain_count(raw) - spelling.rules.required;
  for (size_t i = 0; i < spelling.rules.count; ++i) {
    const OperandRule& rule = spelling.rules.list[i];
    bool is_bar = next < raw.count && raw.list[next].after_bar;
    if (rule.after_bar && !is_bar) continue;
    if (rule.optional && optional_given-- == 0) {
      optional_given = 0;
      continue;
    }
    const RawOperand& operand_raw = raw.list[next++];
    if (is_bar && !rule.after_bar) {
      if (const NotSupported* row = not_supported_operands(spelling.card->card->name, kWithBar))
        return fe_.tokens.unsupported(
            operand_raw.where, fmt::format("'|' of \"{}\" is not supported: {} are not simulated", spelled, row->what),
            since_text(*row));
      return fe_.tokens.unsupported(operand_raw.where, fmt::format("\"{}\" takes no '|' here", spelled),
                                    fmt::format("{} {}", spelled, roles_of(spelling.rules)));
    }
    places[i] = operand_raw.where;
    if (!operand(rule, operand_raw, raw, out[i])) {
      kernel_.operands.resize(before);
      return false;
    }
  }
  if (next < raw.count)
    return fe_.tokens.unsupported(raw.list[next].where, fmt::format("\"{}\" takes no '|' here", spelled));
  bool is_legal = spelling.rules.count != 2 || !spelling.rules.list[1].pack || check_pack(out, where);
  if (!is_legal || !check_signs(spelling.rules, raw)) {
    kernel_.operands.resize(before);
    return false;
  }
  if (!within_copy(out, places)) {
    kernel_.operands.resize(before);
    return false;
  }
  instruction.space = space_;
  instruction.first_operand = static_cast<uint32_t>(kernel_.operands.size());
  instruction.operand_count = static_cast<uint16_t>(spelling.rules.count);
  for (size_t i = 0; i < spelling.rules.count; ++i) {
    if (out[i].kind == Operand::Kind::Label || out[i].kind == Operand::Kind::Table)
      labels_.refer(out[i].index, places[i], static_cast<uint32_t>(kernel_.operands.size()));
    kernel_.operands.push_back(out[i]);
  }
  return true;
}

bool OperandChecker::operand(const OperandRule& rule, const RawOperand& raw, const RawOperands& all, Operand& out) {
  bool is_memory = raw.kind == RawOperand::Kind::Memory;
  if (rule.kind == OperandRule::Kind::Target) return target(raw, Operand::Kind::Label, out);
  if (rule.kind == OperandRule::Kind::Table) return target(raw, Operand::Kind::Table, out);
  if (rule.kind == OperandRule::Kind::Memory) {
    if (!is_memory)
      return fe_.tokens.unsupported(raw.where, fmt::format("\"{}\" needs an address in brackets here", spelled_));
    return memory(spelling_->type,
                  rule.generic                ? Space::None
                  : rule.space == Space::None ? spelling_->space
                                              : rule.space,
                  raw, out);
  }
  if (is_memory)
    return fe_.tokens.unsupported(raw.where, fmt::format("\"{}\" takes no address in brackets here", spelled_),
                                  "only ld, st and their like access memory");
  if (rule.coordinates != raw.inside)
    return rule.coordinates ? fe_.tokens.error(raw.where, "coordinates stand in the brackets of their texture",
                                               fmt::format("{} {{d0, d1, d2, d3}}, [texture, {{x, ...}}]", spelled_))
                            : fe_.tokens.error(raw.where, fmt::format("\"{}\" has no texture coordinates", spelled_));
  Type type = rule.type(spelling_->type, spelling_->type2);
  if (raw.kind == RawOperand::Kind::Vector || rule.registers != 0 || rule.box || rule.offsets || rule.slope ||
      (rule.vector && spelling_->vector > 1) ||
      (rule.coordinates && (coordinates_of(spelling_->mods) > 1 || width_of_whole(raw) > 1)) ||
      (rule.pack && width_of_whole(raw) > 1))
    return vector(rule, type, raw, all, out);
  return scalar(rule, type, raw, out);
}

/// Whether cp.async reads no more bytes than it copies.
bool OperandChecker::within_copy(std::span<const Operand> operands, std::span<const SourceSpan> places) {
  for (size_t i = 1; i < spelling_->rules.count; ++i) {
    if (spelling_->rules.list[i].limit != OperandRule::Limit::SourceSize) continue;
    const Operand &size = operands[i], &copied = operands[i - 1];
    if (size.kind == Operand::Kind::Immediate && size.bits > copied.bits)
      return fe_.tokens.error(places[i],
                              fmt::format("\"{}\" reads {} bytes, and copies {}", spelled_, size.bits, copied.bits));
  }
  return true;
}

/// Whether an immediate is one that its operand may be (PTX ISA 9.0, 9.7.13.1).
bool OperandChecker::within(OperandRule::Limit limit, const RawOperand& raw, uint64_t value) {
  switch (limit) {
    case OperandRule::Limit::MapSize:
    case OperandRule::Limit::MapField:
    case OperandRule::Limit::MapValue: return within_map(limit, raw, value);
    case OperandRule::Limit::None:
    case OperandRule::Limit::SourceSize:
    case OperandRule::Limit::Descriptor:
    case OperandRule::Limit::Sink: return true;
    case OperandRule::Limit::Groups:
      return raw.constant.bits >> 31 == 0 ||
             fe_.tokens.error(raw.where, fmt::format("{} is not a number of groups", spelled_of(raw)));
    case OperandRule::Limit::BulkSize:
      return value % 16 == 0 ||
             fe_.tokens.error(raw.where, fmt::format("\"{}\" takes a multiple of 16 bytes", spelled_));
    case OperandRule::Limit::CopySize:
      return value == 4 || value == 8 || value == 16 ||
             fe_.tokens.error(raw.where, fmt::format("\"{}\" copies 4, 8 or 16 bytes", spelled_));
    case OperandRule::Limit::CopySize16:
      return value == 16 ||
             fe_.tokens.error(raw.where, fmt::format("\"{}\" copies 16 bytes", spelled_), "with .ca also 4 and 8");
    case OperandRule::Limit::Barrier:
      return value < kBarriers ||
             fe_.tokens.error(raw.where, fmt::format("there is no barrier {}", spelled_of(raw)),
                              fmt::format("a block has {} of them, 0 to {}", kBarriers, kBarriers - 1));
    case OperandRule::Limit::Quarter:
      return raw.constant.bits <= 3 ||
             fe_.tokens.error(raw.where, fmt::format("{} must be 0, 1, 2 or 3", spelled_of(raw)));
    case OperandRule::Limit::Bit:
    case OperandRule::Limit::Zero:
      return raw.constant.bits <= (limit == OperandRule::Limit::Bit ? 1 : 0) ||
             fe_.tokens.error(raw.where, fmt::format("{} must be {}", spelled_of(raw),
                                                     limit == OperandRule::Limit::Bit ? "0 or 1" : "0"));
    case OperandRule::Limit::Sign:
      return raw.constant.bits == 1 || raw.constant.bits == ~uint64_t{0} ||
             fe_.tokens.error(raw.where, fmt::format("{} must be 1 or -1", spelled_of(raw)));
    case OperandRule::Limit::Registers:
      return (value % 8 == 0 && value >= 24 && value <= 256) ||
             fe_.tokens.error(raw.where, fmt::format("a thread cannot have {}", plural(value, "register")),
                              "the count is a multiple of 8 from 24 to 256");
    case OperandRule::Limit::Arrivals:
      if (value == 0)
        return fe_.tokens.error(raw.where, fmt::format("\"{}\" needs a thread count other than 0", spelled_),
                                "the count is of all threads that arrive at the barrier or wait there");
      [[fallthrough]];
    case OperandRule::Limit::Threads:
      return value % kWarpThreads == 0 ||
             fe_.tokens.error(raw.where, fmt::format("{} cannot take part in a barrier", plural(value, "thread")),
                              fmt::format("the thread count is a multiple of the warp size, {}", kWarpThreads));
  }
  return true;
}

/// Constants of instructions on tensor maps (PTX ISA 9.0, 9.7.9.29).
bool OperandChecker::within_map(OperandRule::Limit limit, const RawOperand& raw, uint64_t value) {
  constexpr uint64_t kBytes = 128, kMostField = 4;
  if (limit == OperandRule::Limit::MapSize)
    return value == kBytes || fe_.tokens.error(raw.where, fmt::format("a tensor map has {} bytes", kBytes));
  uint64_t most = kMostField;
  if (limit == OperandRule::Limit::MapValue) {
    const ModSet mods = spelling_->mods;
    most = mods.has(Mod::MapType) ? 12 : mods.has(Mod::MapSwizzle) ? 3 : mods.has(Mod::MapInterleave) ? 2 : 1;
  }
  return value <= most ||
         fe_.tokens.error(raw.where, fmt::format("\"{}\" takes {} here", spelled_, fmt::format("0 to {}", most)));
}

bool OperandChecker::scalar(const OperandRule& rule, Type type, const RawOperand& raw, Operand& out) {
  out.type = type;
  out.destination = rule.destination;
  if (raw.negated && !rule.negatable)
    return fe_.tokens.error(raw.where, "'!' is not legal here",
                            "only a predicate that an instruction reads may have it");
  if (raw.minus && !rule.signable)
    return fe_.tokens.error(raw.where, fmt::format("\"{}\" negates no operand", spelled_), "neg negates a register");
  if (raw.kind != RawOperand::Kind::Name && rule.only_register)
    return fe_.tokens.error(raw.where, fmt::format("operand {} must be a register", rule.role), "mov it to one first");
  if (rule.only_register && spelling_->mods.has(Mod::Rs)) {  // as ptxas has it: no other type of 32 bits
    const Binding& random = fe_.names.find(raw.name);
    if (random.kind != Binding::Kind::None && random.type != Type::B32)
      return fe_.tokens.error(raw.where, fmt::format("the random bits of \"{}\" are in a .b32 register", spelled_));
  }
  switch (raw.kind) {
    case RawOperand::Kind::Sink:
      out.kind = Operand::Kind::Sink;
      if (rule.selector != OperandRule::Selector::None)
        return fe_.tokens.error(raw.where, fmt::format("the result of \"{}\" is not dropped", spelled_));
      if (rule.destination) return true;
      return fe_.tokens.error(raw.where, "'_' stands for a result that is dropped, not for a value");
    case RawOperand::Kind::Constant: {
      if (rule.destination) return fe_.tokens.error(raw.where, fmt::format("operand {} must be a register", rule.role));
      if (rule.registers != 0 && (info(type).kind == TypeKind::Packed || type == Type::TF32))
        type = out.type = Type::B32;  // bits of a fragment
      Converted value = convert(raw.constant, type);
      if (!value.ok) return fe_.tokens.error(raw.where, fmt::format("{} {}", spelled_of(raw), value.why));
      if (value.truncated)
        fe_.tokens.warning(raw.where, fmt::format("{} does not fit in .{} and is cut", spelled_of(raw), name(type)));
      out.kind = Operand::Kind::Immediate;
      out.bits = value.bits;
      return within(rule.limit, raw, value.bits);
    }
    case RawOperand::Kind::Name:
      if (rule.limit == OperandRule::Limit::Sink)
        return fe_.tokens.error(raw.where, fmt::format("\"{}\" has no result: operand {} is '_'", spelled_, rule.role));
      if (is_constant(rule))
        return fe_.tokens.error(raw.where, fmt::format("operand {} must be an integer constant", rule.role));
      if (rule.type_of == OperandRule::TypeOf::Constant || rule.limit == OperandRule::Limit::MapSize ||
          rule.limit == OperandRule::Limit::MapField || rule.limit == OperandRule::Limit::MapValue)
        return fe_.tokens.error(raw.where, fmt::format("operand {} must be an integer constant", rule.role));
      if (!named(rule, type, raw, out)) return false;
      return rule.limit != OperandRule::Limit::Descriptor || out.kind != Operand::Kind::SymbolAddress ||
             fe_.tokens.error(raw.where, "the address of a variable is not a matrix descriptor",
                              "bits 0 to 13 of a descriptor are the address in units of 16 bytes");
    case RawOperand::Kind::Memory:
    case RawOperand::Kind::Vector: break;
  }
  return fe_.tokens.unsupported(raw.where, "a brace list is not legal here");
}

uint32_t OperandChecker::width_of_whole(const RawOperand& raw) {
  if (raw.kind != RawOperand::Kind::Name || raw.component != 0 || raw.has_offset) return 1;
  const Binding& binding = fe_.names.find(raw.name);
  bool is_register = binding.kind == Binding::Kind::Declared || binding.kind == Binding::Kind::Register;
  return is_register ? binding.vector : 1;
}

/// width_of_whole, but a special register such as %tid may also stand for its four components.
uint32_t OperandChecker::width_with_specials(const RawOperand& raw) {
  if (raw.kind != RawOperand::Kind::Name || raw.component != 0 || raw.has_offset) return 1;
  const Binding& binding = fe_.names.find(raw.name);
  return binding.kind == Binding::Kind::Special ? binding.vector : width_of_whole(raw);
}

/// The registers of a brace list have types that agree with each other, and at least one stands in a list of results.
bool OperandChecker::check_elements(const OperandRule& rule, const RawOperand& raw, std::span<const Operand> elements) {
  bool has_float = false, has_integer = false, all_dropped = true;
  for (const Operand& element : elements) {
    all_dropped = all_dropped && element.kind == Operand::Kind::Sink;
    if (element.kind == Operand::Kind::SymbolAddress || element.kind == Operand::Kind::FunctionAddress)
      return fe_.tokens.error(raw.where, "the address of a variable or function cannot stand in a brace list",
                              "mov it to a register first");
    if (element.kind != Operand::Kind::Register) continue;
    TypeKind kind = info(kernel_.registers[element.index].type).kind;
    has_float = has_float || kind == TypeKind::Float;
    has_integer = has_integer || kind == TypeKind::Signed || kind == TypeKind::Unsigned;
  }
  if (has_float && has_integer && !rule.coordinates)
    return fe_.tokens.error(raw.where, "the registers of a vector are all integers or all floating-point numbers",
                            "registers of .b types go with both");
  if (all_dropped) return fe_.tokens.error(raw.where, "at least one element of a vector is a register");
  return true;
}

/// An element of a list that an instruction both reads and writes.
bool OperandChecker::is_accumulator(const RawOperand& raw, Operand& element) {
  element.accumulates = true;
  return element.kind != Operand::Kind::Sink ||
         fe_.tokens.error(raw.where, fmt::format("\"{}\" also reads what it writes: '_' is not legal here", spelled_));
}

/// mov of a list packs its elements into a register or unpacks a register into them.
bool OperandChecker::check_pack(std::span<const Operand> operands, SourceSpan where) {
  if (operands[0].kind != Operand::Kind::Vector || operands[1].kind != Operand::Kind::Vector) return true;
  return fe_.tokens.error(where,
                          fmt::format("\"{}\" packs or unpacks: one of its operands is a single register", spelled_),
                          "mov.v2 and mov.v4 move vectors");
}

bool OperandChecker::vector(const OperandRule& rule, Type type, const RawOperand& raw, const RawOperands& all,
                            Operand& out) {
  if (!rule.vector && !rule.pack && !rule.coordinates && !rule.offsets && !rule.slope && rule.registers == 0)
    return fe_.tokens.unsupported(raw.where, "a brace list is not legal here");
  uint32_t wanted = rule.registers != 0 ? rule.registers : spelling_->vector;
  uint32_t given = raw.kind == RawOperand::Kind::Vector ? raw.count
                   : rule.vector                        ? width_with_specials(raw)
                                                        : width_of_whole(raw);
  if (rule.pack) {
    wanted = given;
    if ((given != 2 && given != 4) || bits(type) / given < 8)
      return fe_.tokens.error(raw.where, fmt::format("{} do not make a .{}", plural(given, "element"), name(type)));
    uint32_t width = bits(type) / given;
    type = width == 8 ? Type::B8 : width == 16 ? Type::B16 : width == 32 ? Type::B32 : Type::B64;
  }
  if (rule.coordinates) {  // more than the geometry has are allowed
    wanted = coordinates_of(spelling_->mods);
    if (!rule.box && given >= wanted && given <= 4) wanted = given;
  }
  if (rule.slope) wanted = dimensions_of(spelling_->mods) == 3 ? 4 : dimensions_of(spelling_->mods);
  if (rule.offsets) wanted = dimensions_of(spelling_->mods) - 2;
  const bool layer = rule.coordinates && has_layers(spelling_->mods);
  bool in_braces = raw.kind == RawOperand::Kind::Vector || (rule.registers != 1 && !rule.box && !rule.offsets &&
                                                            !rule.slope);  // a fragment of one register is, too
  if (given != wanted || !in_braces) {
    std::string needs =
        wanted > 1 || !in_braces ? fmt::format("{} in braces", plural(wanted, "register")) : "one register";
    if (!in_braces && given == wanted)
      return fe_.tokens.unsupported(raw.where, fmt::format("\"{}\" needs a register in braces here", spelled_));
    return fe_.tokens.unsupported(raw.where, fmt::format("\"{}\" needs {}, {} given", spelled_, needs, given));
  }
  out.kind = Operand::Kind::Vector;
  out.type = type;
  out.destination = rule.destination;
  out.accumulates = rule.by_columns;
  out.count = static_cast<uint8_t>(given);
  elements_.assign(given, {});
  std::vector<Operand>& elements = elements_;
  for (uint32_t i = 0; i < given; ++i) {
    RawOperand element = raw.kind == RawOperand::Kind::Vector ? all.elements[raw.first + i] : raw;
    if (raw.kind != RawOperand::Kind::Vector) element.component = static_cast<uint8_t>(i + 1);
    if (!scalar(rule, layer && i == 0 ? Type::U32 : type, element, elements[i])) return false;
    if (rule.by_columns && !is_accumulator(element, elements[i])) return false;
  }
  if (!check_elements(rule, raw, elements)) return false;
  out.index = static_cast<uint32_t>(kernel_.operands.size());
  kernel_.operands.insert(kernel_.operands.end(), elements.begin(), elements.end());
  return true;
}

bool OperandChecker::target(const RawOperand& raw, Operand::Kind kind, Operand& out) {
  if (raw.kind != RawOperand::Kind::Name || raw.negated || raw.has_offset || raw.component != 0)
    return fe_.tokens.error(raw.where, fmt::format("\"{}\" needs a {} here", spelled_,
                                                   kind == Operand::Kind::Label ? "label" : "list of branch targets"));
  out.kind = kind;
  out.index = raw.name;  // until the label is known
  return true;
}

std::string OperandChecker::spelled_of(const RawOperand& raw) const {
  return fmt::format("\"{}\"", fe_.tokens.text(raw.where.begin, raw.where.begin + raw.where.length));
}

}  // namespace warptime::ptx
