#include "ptx/syntax/operand_rule.h"

#include "base/assert.h"

namespace warptime::ptx {

namespace {

Type twice_as_wide(Type type) {
  switch (info(type).kind) {
    case TypeKind::Signed: return bits(type) == 16 ? Type::S32 : Type::S64;
    case TypeKind::Unsigned: return bits(type) == 16 ? Type::U32 : Type::U64;
    case TypeKind::Bits: return bits(type) == 16 ? Type::B32 : Type::B64;
    case TypeKind::Float: return bits(type) == 16 ? Type::F32 : Type::F64;
    case TypeKind::Packed:
    case TypeKind::Predicate:
    case TypeKind::Element: break;
  }
  return type;
}

OperandRule::Limit limit_named(std::string_view word) {
  if (word == "barrier") return OperandRule::Limit::Barrier;
  if (word == "threads") return OperandRule::Limit::Threads;
  if (word == "copysize") return OperandRule::Limit::CopySize;
  if (word == "bulksize") return OperandRule::Limit::BulkSize;
  if (word == "groups") return OperandRule::Limit::Groups;
  if (word == "zero") return OperandRule::Limit::Zero;
  if (word == "quarter") return OperandRule::Limit::Quarter;
  if (word == "bit") return OperandRule::Limit::Bit;
  if (word == "sign") return OperandRule::Limit::Sign;
  if (word == "mapsize") return OperandRule::Limit::MapSize;
  if (word == "mapfield") return OperandRule::Limit::MapField;
  if (word == "mapvalue") return OperandRule::Limit::MapValue;
  if (word == "sourcesize") return OperandRule::Limit::SourceSize;
  if (word == "copysize16") return OperandRule::Limit::CopySize16;
  return word == "arrivals" ? OperandRule::Limit::Arrivals : OperandRule::Limit::None;
}

OperandRule::Selector selector_named(std::string_view word) {
  if (word == "part") return OperandRule::Selector::Part;
  if (word == "halves") return OperandRule::Selector::Halves;
  return word == "bytes" ? OperandRule::Selector::Bytes : OperandRule::Selector::None;
}

void apply_rule(OperandRule& rule, std::string_view word, std::string_view spec) {
  rule.has_rule = true;
  if (word == "2") {
    rule.type_of = OperandRule::TypeOf::Second;
  } else if (word == "wide") {
    rule.type_of = OperandRule::TypeOf::Wide;
  } else if (word == "bits") {
    rule.type_of = OperandRule::TypeOf::Bits;
  } else if (word == "vec") {
    rule.vector = true;
  } else if (word == "bitsvec") {
    rule.vector = true;
    rule.type_of = OperandRule::TypeOf::Bits;
  } else if (word == "pack") {
    rule.pack = true;
    rule.type_of = OperandRule::TypeOf::Bits;
  } else if (word == "coords") {
    rule.coordinates = true;
    rule.type_of = OperandRule::TypeOf::Second;
  } else if (word == "places") {
    rule.coordinates = true;
    rule.type_of = OperandRule::TypeOf::Fixed;
    rule.fixed = Type::S32;
  } else if (word == "box") {
    rule.coordinates = rule.box = true;
    rule.type_of = OperandRule::TypeOf::Fixed;
    rule.fixed = Type::S32;
  } else if (word == "offsets") {
    rule.offsets = true;
    rule.type_of = OperandRule::TypeOf::Fixed;
    rule.fixed = Type::U16;
  } else if (word == "generic") {
    rule.generic = true;
  } else if (word == "slope") {
    rule.slope = true;
    rule.type_of = OperandRule::TypeOf::Fixed;
    rule.fixed = Type::F32;
  } else if (word == "query") {
    rule.type_of = OperandRule::TypeOf::Fixed;
    rule.fixed = Type::B32;
  } else if (word == "pair") {
    rule.pair = true;
    rule.type_of = OperandRule::TypeOf::Fixed;
    rule.fixed = Type::B64;
  } else if (word == "newcount") {
    rule.limit = OperandRule::Limit::Registers;
    rule.type_of = OperandRule::TypeOf::Constant;
  } else if (word == "imm") {
    rule.type_of = OperandRule::TypeOf::Constant;
  } else if (word == "shared") {
    rule.space = Space::Shared;
  } else if (word == "global") {
    rule.space = Space::Global;
  } else if (word == "descriptor") {
    rule.limit = OperandRule::Limit::Descriptor;
    rule.type_of = OperandRule::TypeOf::Fixed;
    rule.fixed = Type::U64;
  } else if (word == "metadata") {
    rule.only_register = true;
    rule.type_of = OperandRule::TypeOf::Fixed;
    rule.fixed = Type::B32;
  } else if (word == "addend") {
    rule.limit = OperandRule::Limit::Bit;
    rule.type_of = OperandRule::TypeOf::Fixed;
    rule.fixed = Type::Pred;
  } else if (word == "sink") {
    rule.limit = OperandRule::Limit::Sink;
  } else if (word == "address") {
    rule.type_of = OperandRule::TypeOf::Address;
  } else if (OperandRule::Limit limit = limit_named(word); limit != OperandRule::Limit::None) {
    rule.limit = limit;
    rule.type_of = OperandRule::TypeOf::Fixed;
    rule.fixed = limit == OperandRule::Limit::Sign ? Type::S32 : Type::U32;
  } else if (OperandRule::Selector selector = selector_named(word);
             selector != OperandRule::Selector::None || word == "register") {
    rule.selector = selector;
    rule.only_register = selector != OperandRule::Selector::Part;
    rule.type_of = OperandRule::TypeOf::Fixed;
    rule.fixed = Type::U32;
  } else {
    if (word[0] == 'n') {  // "nf32"
      rule.by_columns = true;
      word.remove_prefix(1);
    } else if (word[0] >= '1' && word[0] <= '9') {  // "4f32"
      rule.registers = static_cast<uint8_t>(word[0] - '0');
      word.remove_prefix(1);
    }
    auto type = type_named(word);
    SIM_ASSERT(type, "operand rule \":{}\" in \"{}\"", word, spec);
    rule.type_of = OperandRule::TypeOf::Fixed;
    rule.fixed = *type;
  }
}

}  // namespace

Type OperandRule::type(Type first, Type second) const {
  switch (type_of) {
    case TypeOf::First:
    case TypeOf::Bits: return first;
    case TypeOf::Second: return second;
    case TypeOf::Wide: return twice_as_wide(first);
    case TypeOf::Fixed: return fixed;
    case TypeOf::Constant: return Type::U32;
    case TypeOf::Address: return Type::U64;
  }
  return first;
}

OperandRules parse_operand_rules(std::string_view spec) {
  OperandRules rules;
  size_t at = 0;
  bool optional = false, after_bar = false;
  auto in_word = [&](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  auto take_word = [&] {
    size_t begin = at;
    while (at < spec.size() && in_word(spec[at])) ++at;
    return spec.substr(begin, at - begin);
  };
  while (at < spec.size()) {
    OperandRule rule;
    bool bracket = false;
    for (; at < spec.size() && !in_word(spec[at]); ++at) {
      if (spec[at] == '{') optional = true;
      if (spec[at] == '}') optional = false;
      if (spec[at] == '|') after_bar = true;
      if (spec[at] == '!') rule.negatable = true;
      if (spec[at] == '-') rule.signable = true;
      if (spec[at] == '[') bracket = true;
    }
    if (at >= spec.size()) break;
    rule.role = take_word();
    if (bracket) rule.kind = OperandRule::Kind::Memory;
    if (rule.role == "target") rule.kind = OperandRule::Kind::Target;
    if (rule.role == "targets") rule.kind = OperandRule::Kind::Table;
    rule.destination = !bracket && (rule.role == "d" || rule.role == "q");
    if (at < spec.size() && spec[at] == ':') {
      ++at;
      apply_rule(rule, take_word(), spec);
    }
    rule.optional = optional;
    rule.after_bar = after_bar;
    if (after_bar) {
      OperandRule& first = rules.list[rules.count - 1];
      if (!first.has_rule) {  // d|q:pred: the type stands behind q but is meant for both
        first.type_of = rule.type_of;
        first.fixed = rule.fixed;
      }
    } else {
      ++rules.most;
      if (!optional) ++rules.required;
    }
    after_bar = false;
    SIM_ASSERT(rules.count < OperandRules::kMax, "too many operands in \"{}\"", spec);
    rules.list[rules.count++] = rule;
  }
  return rules;
}

}  // namespace warptime::ptx
