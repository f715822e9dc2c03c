// Selectors behind registers and signs before them, which video instructions have (PTX ISA 9.0, 9.7.17 and 9.7.18).
#include "ptx/syntax/operand_checker.h"

namespace warptime::ptx {

namespace {

using Selector = OperandRule::Selector;

/// A byte or a half word.
bool is_part(std::string_view text) { return text.size() == 2 && text[1] < (text[0] == 'b' ? '4' : '2'); }
/// Each element of the result, its highest first, from a place in the 64 bits of b and a.
bool is_order(std::string_view text, char letter, size_t elements) {
  return text[0] == letter && text.size() == elements + 1 &&
         text.find_first_not_of(elements == 2 ? "0123" : "01234567", 1) == std::string_view::npos;
}
/// The elements that are written, highest first.
bool is_mask(std::string_view text, char letter, size_t elements) {
  if (text[0] != letter) return false;
  char above = static_cast<char>('0' + elements);
  for (char place : text.substr(1)) {
    if (place >= above) return false;
    above = place;
  }
  return true;
}

std::string_view legal_selectors(const OperandRule& rule) {
  switch (rule.selector) {
    case Selector::None: break;
    case Selector::Part: return "a byte .b0 to .b3, or a half word .h0 or .h1";
    case Selector::Halves:
      return rule.destination ? "half words that are written: .h0, .h1 or .h10"
                              : "two half words, 0 and 1 of a, 2 and 3 of b: .h32";
    case Selector::Bytes:
      return rule.destination ? "bytes that are written, highest first: .b0 to .b3210"
                              : "four bytes, 0 to 3 of a, 4 to 7 of b: .b7654";
  }
  return "";
}

}  // namespace

bool OperandChecker::selector(const OperandRule& rule, const RawOperand& raw, Operand& out) {
  std::string text;
  for (uint64_t rest = raw.selector; rest != 0; rest >>= 8) text += static_cast<char>(rest & 0xff);
  out.bits = raw.selector;
  if (text.empty()) {  // a sign alone, which scalar() has found to be legal
    out.negated = true;
    return true;
  }
  bool ok = false;
  switch (rule.selector) {
    case Selector::None: break;
    case Selector::Part: ok = is_part(text); break;
    case Selector::Halves: ok = rule.destination ? is_mask(text, 'h', 2) : is_order(text, 'h', 2); break;
    case Selector::Bytes: ok = rule.destination ? is_mask(text, 'b', 4) : is_order(text, 'b', 4); break;
  }
  out.negated = raw.minus;
  if (ok) return true;
  uint32_t end = raw.where.begin + raw.where.length;
  SourceSpan where = fe_.tokens.span(end - static_cast<uint32_t>(text.size()) - 1, end);
  if (rule.selector == Selector::None)
    return fe_.tokens.error(where, fmt::format("operand {} of \"{}\" has no selector", rule.role, spelled_),
                            "components of vectors are .x .y .z .w; bytes and half words are selected by the sources "
                            "of video instructions, and by a result that is put into a third source");
  return fe_.tokens.error(
      where, fmt::format("\".{}\" does not select what operand {} of \"{}\" may be", text, rule.role, spelled_),
      std::string(legal_selectors(rule)));
}

/// In vmad a product or what is added to it is negated, and no .po then adds one more.
bool OperandChecker::check_signs(const OperandRules& rules, const RawOperands& raw) {
  if (rules.count != 4 || !rules.list[3].signable || raw.count != 4) return true;
  bool product = raw.list[1].minus != raw.list[2].minus, sum = raw.list[3].minus;
  if (product && sum)
    return fe_.tokens.error(raw.list[3].where, fmt::format("\"{}\" negates the product or c, not both", spelled_));
  if ((product || sum) && spelling_->mods.has(Mod::PlusOne))
    return fe_.tokens.error(raw.list[sum                 ? 3
                                     : raw.list[1].minus ? 1
                                                         : 2]
                                .where,
                            fmt::format("\"{}\" negates no operand", spelled_), "with .po one more is added");
  return true;
}

}  // namespace warptime::ptx
