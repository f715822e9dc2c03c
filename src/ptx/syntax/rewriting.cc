// Forms that the front end writes in other instructions, so that nothing else has to know them: atomic operations on
// vectors, which are operations on each element (PTX ISA 9.0, 9.7.13.13), values of 128 bits, which are pairs of 64,
// %is_explicit_cluster, and a sum of a register and a constant outside of an address.
#include <algorithm>

#include "base/assert.h"
#include "base/plural.h"
#include "ptx/isa/cards.h"
#include "ptx/syntax/instruction_parser.h"

namespace warptime::ptx {

namespace {

/// A component of a register of 128 bits: 1 the lower half, 2 the upper one.
RawOperand half_of(RawOperand pair, uint8_t component) {
  pair.component = component;
  return pair;
}
/// A constant of 128 bits has its sign in all of the upper half.
RawOperand half_of_constant(RawOperand whole, uint8_t component) {
  if (component == 2)
    whole.constant = Constant::of(static_cast<int64_t>(whole.constant.bits) < 0 ? int64_t{-1} : int64_t{0});
  return whole;
}
bool is_list(const RawOperand& raw, uint32_t count) {
  return raw.kind == RawOperand::Kind::Vector && raw.count == count;
}
/// The halves of a register of 128 bits, or of a constant, as the printer writes them.
bool is_printed_pair(const Names& names, const RawOperands& all, const RawOperand& raw) {
  if (!is_list(raw, 2)) return false;
  const RawOperand &low = all.elements[raw.first], &high = all.elements[raw.first + 1u];
  if (low.kind == RawOperand::Kind::Constant) return high.kind == RawOperand::Kind::Constant;
  if (low.kind != RawOperand::Kind::Name || high.kind != RawOperand::Kind::Name) return false;
  // Registers of inner scopes that have a name again are printed with a number behind it.
  auto stem = [&](NameId name, std::string_view component) {
    const std::string_view text = names.text(name);
    const size_t at = text.rfind(component);
    const bool ends = at != std::string_view::npos && (at + 2 == text.size() || text[at + 2] == '_');
    return ends ? text.substr(0, at) : std::string_view();
  };
  const std::string_view whole = stem(low.name, "_x");
  return !whole.empty() && whole == stem(high.name, "_y");
}

}  // namespace

bool InstructionParser::emit(std::string_view mnemonic, std::span<const std::string_view> words, const RawOperands& raw,
                             const Written& as) {
  std::vector<SuffixWord> suffixes;
  for (std::string_view word : words) suffixes.push_back({word, as.where});
  const std::vector<Spelling> found = match_forms(*find_card(mnemonic), suffixes);
  SIM_ASSERT(!found.empty(), "\"{}\" is written as no form of \"{}\"", as.spelled, mnemonic);
  return append(choose(found, raw), as, raw);
}

bool InstructionParser::rewrite(const Spelling& spelling, const Written& as) {
  if (raw_.count < spelling.rules.required || raw_.count > spelling.rules.most) return append(spelling, as, raw_);
  switch (spelling.form->rewrite) {
    case Rewrite::None: break;
    case Rewrite::Elements: return by_elements(spelling, as);
    case Rewrite::Pair:
      return is<Mov>(spelling)    ? move_pairs(as)
             : is<Atom>(spelling) ? swap_pairs(spelling, as)
                                  : by_pairs(spelling, as);
    case Rewrite::Stack: return claim(spelling, as);
  }
  return append(spelling, as, raw_);
}

bool InstructionParser::by_elements(const Spelling& spelling, const Written& as) {
  const bool gives = is<Atom>(spelling);
  const size_t memory_at = gives ? 1 : 0;
  const RawOperand memory = raw_.list[memory_at], result = raw_.list[0], value = raw_.list[memory_at + 1];
  // Minima and maxima of one element have no spelling of their own: they are printed as lists of one.
  const bool is_order = spelling.mods.has(Mod::Min) || spelling.mods.has(Mod::Max);
  const uint32_t count = is_order && is_list(value, 1) ? 1 : spelling.vector;
  if (memory.kind != RawOperand::Kind::Memory || memory.indexed)
    return fe_.tokens.error(memory.where, fmt::format("\"{}\" needs an address in brackets here", as.spelled));
  const bool drops = gives && result.kind == RawOperand::Kind::Sink;
  for (const RawOperand& list : {value, gives && !drops ? result : value})
    if (!is_list(list, count))
      return fe_.tokens.error(list.where,
                              fmt::format("\"{}\" needs {} in braces", as.spelled, plural(count, "register")));
  Spelling each = spelling;
  each.vector = 1;
  if (!is_order) each.mods = each.mods.without(mods(Mod::V2, Mod::V4, Mod::V8));
  for (OperandRule& rule : each.rules.list) rule.vector = false;
  // The element whose result overwrites the address comes last.
  std::vector<uint32_t> order(count);
  for (uint32_t i = 0; i < count; ++i) order[i] = i;
  if (gives && !drops)
    std::stable_partition(order.begin(), order.end(), [&](uint32_t i) {
      const RawOperand& element = raw_.elements[result.first + i];
      return !(memory.has_name && element.has_name && element.name == memory.name);
    });
  RawOperands all = raw_;
  if (gives && !drops)
    for (size_t at = 1; at < order.size(); ++at) {  // what the results before would overwrite is copied
      RawOperand& operand = all.elements[value.first + order[at]];
      const bool is_lost = std::any_of(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(at), [&](uint32_t i) {
        const RawOperand& before = all.elements[result.first + i];
        return before.has_name && operand.has_name && before.name == operand.name &&
               before.component == operand.component;
      });
      if (is_lost && !copy_operand(order[at], operand, as)) return false;
    }
  for (uint32_t i : order) {
    RawOperands one;
    if (gives) one.list[one.count++] = drops ? result : all.elements[result.first + i];
    one.list[one.count] = memory;
    one.list[one.count].has_offset = true;
    one.list[one.count++].constant.bits += uint64_t{i} * bytes(spelling.type);
    one.list[one.count++] = all.elements[value.first + i];
    for (size_t more = memory_at + 2; more < all.count; ++more) one.list[one.count++] = all.list[more];
    if (!append(each, as, one)) return false;
  }
  return true;
}

bool InstructionParser::is_pair(const RawOperand& raw) {
  if (raw.kind != RawOperand::Kind::Name || raw.component != 0 || raw.has_offset) return false;
  const Binding& binding = fe_.names.find(raw.name);
  bool is_register = binding.kind == Binding::Kind::Declared || binding.kind == Binding::Kind::Register;
  return is_register && binding.type == Type::B64 && binding.vector == 2;
}

/// ld, ldu, st: a vector of two.
bool InstructionParser::by_pairs(const Spelling& spelling, const Written& as) {
  const bool stores = effect_of(*spelling.card->card, *spelling.form) == Effect::Store;
  RawOperands raw = raw_;
  RawOperand& data = raw.list[stores ? 1 : 0];
  if (!is_pair(data))
    return fe_.tokens.error(data.where, fmt::format("\"{}\" needs a .b128 register here", as.spelled));
  raw.elements[0] = half_of(data, 1);
  raw.elements[1] = half_of(data, 2);
  raw.element_count = 2;
  data.kind = RawOperand::Kind::Vector;
  data.first = 0;
  data.count = 2;
  std::vector<std::string_view> words;
  for (const SuffixWord& word : words_) {
    if (word.text == ".b128") words.push_back(".v2");
    words.push_back(word.text == ".b128" ? ".b64" : word.text);
  }
  return emit(spelling.card->card->name, words, raw, as);
}

/// atom: each value of 128 bits is a list of two registers, or the two halves of a constant.
bool InstructionParser::swap_pairs(const Spelling& spelling, const Written& as) {
  Spelling each = spelling;
  RawOperands raw = raw_;
  raw.element_count = 0;
  for (size_t i = 0; i < raw.count; ++i) {
    RawOperand& value = raw.list[i];
    OperandRule& rule = each.rules.list[i];
    if (!rule.pair) continue;
    rule.pair = false;
    if (value.kind == RawOperand::Kind::Sink && rule.destination) continue;
    const bool is_printed = is_printed_pair(fe_.names, raw_, value);
    const bool is_constant = value.kind == RawOperand::Kind::Constant && value.constant.is_integer();
    if (!is_printed && !is_pair(value) && (rule.destination || !is_constant))
      return fe_.tokens.error(value.where, fmt::format("\"{}\" needs a .b128 register here", as.spelled),
                              "mov.b128 %q, {%low, %high} makes one of two registers of 64 bits");
    rule.registers = 2;
    const auto first = static_cast<uint8_t>(raw.element_count);
    for (uint8_t number : {uint8_t{1}, uint8_t{2}})
      raw.elements[raw.element_count++] = is_printed    ? raw_.elements[value.first + number - 1u]
                                          : is_constant ? half_of_constant(value, number)
                                                        : half_of(value, number);
    value.kind = RawOperand::Kind::Vector;
    value.first = first;
    value.count = 2;
  }
  return append(each, as, raw);
}

bool InstructionParser::move_half(const RawOperand& to, const RawOperand& from, const Written& as) {
  if (to.kind == RawOperand::Kind::Sink) return true;
  RawOperands raw;
  raw.elements = raw_.elements;
  raw.element_count = raw_.element_count;
  raw.list[0] = to;
  raw.list[1] = from;
  raw.count = 2;
  constexpr std::string_view kWords[] = {".b64"};
  return emit("mov", kWords, raw, as);
}

/// mov: between pairs, from and to two registers of 64 bits or four of 32, or from a constant.
bool InstructionParser::move_pairs(const Written& as) {
  const RawOperand to = raw_.list[0], from = raw_.list[1];
  if (!is_pair(to) && !is_pair(from))
    return fe_.tokens.error(to.where, fmt::format("\"{}\" needs a .b128 register", as.spelled),
                            "it moves one to another, or packs and unpacks it");
  auto half = [&](const RawOperand& raw, uint8_t number) {
    if (is_pair(raw)) return half_of(raw, number);
    if (is_list(raw, 2)) return raw_.elements[raw.first + number - 1u];
    RawOperand out = raw;
    if (is_list(raw, 4)) {
      out.first = static_cast<uint8_t>(raw.first + 2 * (number - 1));
      out.count = 2;
    }
    return out;
  };
  auto drops = [&](const RawOperand& raw) {
    return raw.kind == RawOperand::Kind::Vector && raw_.elements[raw.first].kind == RawOperand::Kind::Sink &&
           raw_.elements[raw.first + 1].kind == RawOperand::Kind::Sink;
  };
  for (const RawOperand& raw : {to, from}) {
    bool is_constant = raw.kind == RawOperand::Kind::Constant && raw.constant.is_integer();
    if (!is_pair(raw) && !is_list(raw, 2) && !is_list(raw, 4) && !is_constant)
      return fe_.tokens.error(raw.where,
                              fmt::format("\"{}\" moves 128 bits: a register, or two or four in braces", as.spelled));
  }
  for (uint8_t number : {uint8_t{1}, uint8_t{2}}) {
    const RawOperand source =
        from.kind == RawOperand::Kind::Constant ? half_of_constant(from, number) : half(from, number);
    const RawOperand target = half(to, number);
    if (!drops(target) && !move_half(target, source, as)) return false;
  }
  return true;
}

/// %is_explicit_cluster, a predicate that mov.pred and guards read: a number that is not 0.
bool InstructionParser::reads_explicit_cluster(NameId name) const {
  const Binding& binding = fe_.names.find(name);
  return binding.kind == Binding::Kind::Special && binding.type == Type::Pred;
}

bool InstructionParser::compare_cluster(const RawOperand& to, bool negated, const Written& as) {
  const std::string_view words[] = {negated ? ".eq" : ".ne", ".u32"};
  RawOperands raw;
  raw.list[0] = to;
  raw.list[1] = raw.list[2] = to;
  raw.list[1].kind = RawOperand::Kind::Name;
  raw.list[1].name = fe_.names.intern(kExplicitCluster);
  raw.list[2].kind = RawOperand::Kind::Constant;
  raw.list[2].constant = Constant::of(int64_t{0});
  raw.count = 3;
  return emit("setp", words, raw, as);
}

/// A guard: the comparison goes before the instruction.
bool InstructionParser::guard_by_cluster(const Token& name, Guard* out) {
  RawOperand to;
  to.where = fe_.tokens.span(name);
  to.has_name = true;
  to = made_register(0, Type::Pred, to);
  if (!compare_cluster(to, false, {to.where, fe_.tokens.text(name), name.line, {}})) return false;
  out->predicate = checker_.guard(to.name, to.where);
  return true;
}

/// A register that no text names, of the type of another.
RawOperand InstructionParser::made_register(size_t operand, Type type, const RawOperand& as) {
  const NameId made = made_name(fmt::format("%sum{}_{}", operand, name(type)));
  uint32_t first = 0;
  if (fe_.names.find(made).kind == Binding::Kind::None)
    fe_.names.declare(made, {Binding::Kind::Declared, 0, 1, type, 0, as.where.begin}, &first);
  RawOperand out = as;
  out.name = made;
  out.has_offset = false;
  return out;
}

/// Copies a register to one that no text names, which takes its place.
bool InstructionParser::copy_operand(size_t number, RawOperand& operand, const Written& as) {
  const Type type = fe_.names.find(operand.name).type;
  RawOperands copy;
  copy.list[0] = made_register(number, type, operand);
  copy.list[0].component = 0;
  copy.list[1] = operand;
  copy.count = 2;
  const std::string_view words[] = {bits(type) == 16 ? ".b16" : ".b32"};
  Written always = as;
  always.guard = {};
  if (!emit("mov", words, copy, always)) return false;
  operand = copy.list[0];
  return true;
}

/// A sum of a register and a constant where an instruction reads a register (ptxas takes them): an add before it.
bool InstructionParser::add_constants(const Spelling& spelling, const Written& as) {
  for (size_t i = 0, rule = 0; i < raw_.count && rule < spelling.rules.count; ++i, ++rule) {
    RawOperand& raw = raw_.list[i];
    while (rule + 1 < spelling.rules.count && spelling.rules.list[rule].after_bar && !raw.after_bar) ++rule;
    if (raw.kind != RawOperand::Kind::Name || !raw.has_offset || raw.indexed || spelling.rules.list[rule].destination)
      continue;
    const Binding& binding = fe_.names.find(raw.name);
    bool is_register = binding.kind == Binding::Kind::Declared || binding.kind == Binding::Kind::Register;
    TypeKind kind = is_register ? info(binding.type).kind : TypeKind::Predicate;
    bool is_integer = kind == TypeKind::Unsigned || kind == TypeKind::Signed || kind == TypeKind::Bits;
    if (!is_integer || bits(binding.type) < 16 || binding.vector > 1) continue;
    const Type type = binding.type;
    const std::string_view words[] = {bits(type) == 16 ? ".u16" : bits(type) == 32 ? ".u32" : ".u64"};
    RawOperands sum;
    sum.list[0] = made_register(i, type, raw);
    sum.list[1] = sum.list[2] = raw;
    sum.list[1].has_offset = false;
    sum.list[2].kind = RawOperand::Kind::Constant;
    sum.count = 3;
    Written always = as;
    always.guard = {};
    if (!emit("add", words, sum, always)) return false;
    raw = sum.list[0];
  }
  return true;
}

}  // namespace warptime::ptx
