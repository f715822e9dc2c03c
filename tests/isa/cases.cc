#include "cases.h"

#include <fmt/format.h>

#include "ptx/syntax/mnemonic.h"
#include "ptx/syntax/operand_rule.h"

namespace warptime::sim {

using ptx::Mod, ptx::ModSet, ptx::OperandRule, ptx::Type;

namespace {

/// Every choice of value-changing words in the slots of a form.
void spellings(const ptx::Form& form, size_t slot, ModSet chosen, std::vector<ModSet>& out) {
  if (slot == form.slots.count) {
    out.push_back(chosen);
    return;
  }
  const ptx::Slot& s = form.slots.list[slot];
  if (s.optional) spellings(form, slot + 1, chosen, out);
  for (unsigned i = 0; i < static_cast<unsigned>(Mod::Count); ++i)
    if (s.choices.has(static_cast<Mod>(i))) spellings(form, slot + 1, chosen | ModSet::of(static_cast<Mod>(i)), out);
}

std::vector<Type> members(ptx::TypeSet set) {
  std::vector<Type> out;
  for (unsigned t = 0; t < ptx::kTypes.size(); ++t)
    if (set.has(static_cast<Type>(t))) out.push_back(static_cast<Type>(t));
  if (out.empty()) out.push_back(Type::None);
  return out;
}

/// Types of register that may hold a type: for cvt any that is wide enough.
std::vector<Type> holders(const ptx::CardRow& card, Type type) {
  ptx::TypeKind kind = type == Type::None ? ptx::TypeKind::Bits : info(type).kind;
  if (card.card->name != "cvt" || kind == ptx::TypeKind::Float || kind == ptx::TypeKind::Packed) return {type};
  std::vector<Type> out;
  for (Type t : {Type::U16, Type::U32, Type::U64})
    if (ptx::bits(t) >= ptx::bits(type)) out.push_back(t);
  return out;
}

/// The operand list of a case as PTX text.
void write_text(const ptx::CardRow& card, const ptx::Form& form, const ptx::OperandRules& rules, Case& c) {
  c.text =
      ptx::spelling_text(*card.card, form, c.spelled.mods, {c.spelled.type, c.spelled.type2, Type::None, Type::None}) +
      " ";
  size_t source = 0;
  bool first = true;
  for (const OperandRule& rule : rules.all()) {
    if (!first) c.text += rule.after_bar ? "|" : ", ";
    first = false;
    if (rule.destination) {
      c.text += fmt::format("%{}_{}", rule.role, name(c.destination_register));
    } else if (rule.type_of == OperandRule::TypeOf::Constant) {
      c.text += fmt::format("{}", c.immediate);
    } else {
      bool negated = rule.negatable && c.negates_predicate;
      c.text += fmt::format("{}%{}_{}", negated ? "!" : "", rule.role, name(c.registers[source]));
    }
    if (!rule.destination) ++source;
  }
  c.text += ";";
}

}  // namespace

Type declared_type(Type type) {
  if (type == Type::BF16) return Type::B16;
  if (!is_declared(type)) return ptx::bits(type) == 64 ? Type::B64 : Type::B32;
  return type == Type::BF16x2 || type == Type::TF32 ? Type::B32 : type;
}

std::vector<Case> cases_of(const ptx::CardRow& card, const ptx::Form& form, bool legacy) {
  std::vector<Case> out;
  std::vector<ModSet> mods;
  spellings(form, 0, {}, mods);
  ptx::OperandRules rules = ptx::parse_operand_rules(operands_of(*card.card, form));
  for (Type type : members(form.types)) {
    for (Type type2 : members(form.types2)) {
      for (ModSet m : mods) {
        Case c;
        c.spelled = {card.card->name, m, type, type2, legacy};
        bool negatable = false;
        for (const OperandRule& rule : rules.all()) {
          Type t = rule.type(type, type2);
          if (rule.type_of == OperandRule::TypeOf::Constant) c.immediate = 0;
          negatable |= rule.negatable;
          c.has_second |= rule.after_bar;
          if (rule.destination) c.destination = t;
          else c.sources.push_back(t);
        }
        bool exact_width = type == Type::BF16 || type2 == Type::BF16;
        for (Type d : exact_width ? std::vector{c.destination} : holders(card, c.destination)) {
          for (Type s : exact_width ? std::vector{c.sources[0]} : holders(card, c.sources[0])) {
            c.destination_register = d;
            c.registers = c.sources;
            c.registers[0] = s;
            for (bool negated : {false, true}) {
              if (negated && !negatable) continue;
              c.negates_predicate = negated;
              for (int64_t table : {0x00, 0x80, 0xfe, 0x96, 0xe2, 0x1b, 0xff}) {
                if (c.immediate >= 0) c.immediate = table;
                else if (table != 0) continue;
                write_text(card, form, rules, c);
                out.push_back(c);
              }
            }
          }
        }
      }
    }
  }
  return out;
}

}  // namespace warptime::sim
