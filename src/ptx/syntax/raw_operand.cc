#include "ptx/syntax/raw_operand.h"

#include "base/ascii.h"
#include "ptx/syntax/constant_expression.h"

namespace warptime::ptx {

namespace {

// .x .y .z .w, or .r .g .b .a (PTX ISA 9.0, 6.4.2).
uint8_t component_named(std::string_view word) {
  if (word.size() != 2) return 0;
  size_t at = std::string_view("xyzwrgba").find(word[1]);
  return at == std::string_view::npos ? 0 : static_cast<uint8_t>(at % 4 + 1);
}

/// The characters of ".b0" or ".h32" behind a register (PTX ISA 9.0, 9.7.17); 0: the word is another one.
uint64_t selector_word(std::string_view word) {
  bool digits = word.find_first_not_of("0123456789", 2) == std::string_view::npos;
  if (word.size() < 3 || word.size() > 6 || (word[1] != 'b' && word[1] != 'h') || !digits) return 0;
  uint64_t out = 0;
  for (size_t i = word.size() - 1; i > 0; --i) out = out << 8 | static_cast<unsigned char>(word[i]);
  return out;
}

bool parse_offset(FrontEnd& fe, RawOperand& out) {
  TokenStream& tokens = fe.tokens;
  if (!tokens.accept('+') && !tokens.now().is('-')) return true;
  out.has_offset = true;
  uint32_t begin = tokens.now().begin;
  if (!parse_constant(tokens, &out.constant)) return false;
  if (!out.constant.is_integer())
    return tokens.error(tokens.span(begin, tokens.before().end()), "an offset must be an integer");
  return true;
}

bool parse_name(FrontEnd& fe, RawOperand& out) {
  TokenStream& tokens = fe.tokens;
  Token token = tokens.take();
  out.has_name = true;
  out.name = fe.names.intern(tokens.text(token));
  if (tokens.now().kind == TokenKind::Word) {
    out.component = component_named(tokens.text());
    const Binding::Kind kind = fe.names.find(out.name).kind;
    const bool is_register = kind == Binding::Kind::Declared || kind == Binding::Kind::Register;
    if (out.component == 0 && !is_register && kind != Binding::Kind::Special) return tokens.ends_name(token);
    if (out.component == 0 && kind != Binding::Kind::Special) out.selector = selector_word(tokens.text());
    if (out.component == 0 && out.selector == 0)
      return tokens.error(tokens.span(), fmt::format("\"{}\" is not a component of a vector", tokens.text()),
                          "components are .x .y .z .w");
    tokens.take();
  }
  if (tokens.accept('[')) {
    out.indexed = out.has_offset = true;
    if (!parse_constant(tokens, &out.constant)) return false;
    if (!out.constant.is_integer()) return tokens.error(tokens.span(tokens.before()), "an index must be an integer");
    return tokens.expect(']', "after an index");
  }
  return parse_offset(fe, out);
}

bool parse_memory(FrontEnd& fe, RawOperand& out) {
  TokenStream& tokens = fe.tokens;
  tokens.take();
  out.kind = RawOperand::Kind::Memory;
  uint32_t begin = tokens.now().begin;
  if (tokens.now().kind == TokenKind::Identifier && tokens.text() != "WARP_SZ") {
    if (!parse_name(fe, out)) return false;
  } else {
    out.has_offset = true;
    if (!begins_constant(tokens)) return tokens.expected("an address");
    if (!parse_constant(tokens, &out.constant)) return false;
    if (!out.constant.is_integer())
      return tokens.error(tokens.span(begin, tokens.before().end()), "an address must be an integer");
  }
  if (tokens.accept(',')) return out.opens = true;
  return tokens.expect(']', "after an address");
}

/// Takes a '-' before the name of a register.
bool accept_minus(TokenStream& tokens) {
  if (!tokens.now().is('-')) return false;
  uint32_t next = tokens.now().end();
  while (tokens.byte_at(next) == ' ') ++next;
  char first = tokens.byte_at(next);
  bool is_name = first == '%' || first == '_' || first == '$' || (ascii::is_letter(first) && first != 'W');
  return is_name && tokens.accept('-');
}

bool parse_scalar(FrontEnd& fe, RawOperand& out) {
  TokenStream& tokens = fe.tokens;
  out.minus = accept_minus(tokens);
  if (begins_constant(tokens)) {
    out.kind = RawOperand::Kind::Constant;
    return parse_constant(tokens, &out.constant);
  }
  if (tokens.now().is('!')) {
    tokens.take();
    out.negated = true;
    if (tokens.now().kind != TokenKind::Identifier) return tokens.expected("a predicate after '!'");
  }
  if (tokens.now().kind != TokenKind::Identifier) return tokens.expected("an operand");
  if (tokens.text() == "_") {
    tokens.take();
    out.kind = RawOperand::Kind::Sink;
    return true;
  }
  return parse_name(fe, out);
}

bool parse_vector(FrontEnd& fe, RawOperands& all, RawOperand& out) {
  TokenStream& tokens = fe.tokens;
  tokens.take();
  out.kind = RawOperand::Kind::Vector;
  out.first = static_cast<uint8_t>(all.element_count);
  do {
    if (all.element_count == RawOperands::kMaxElements)
      return tokens.unsupported(tokens.span(), "too many registers in braces");
    RawOperand& element = all.elements[all.element_count++];
    element = {};
    uint32_t begin = tokens.now().begin;
    if (!parse_scalar(fe, element)) return false;
    element.where = tokens.span(begin, tokens.before().end());
    ++out.count;
  } while (tokens.accept(','));
  return tokens.expect('}', "after the registers of a vector");
}

bool parse_operand(FrontEnd& fe, RawOperands& all, RawOperand& out) {
  TokenStream& tokens = fe.tokens;
  uint32_t begin = tokens.now().begin;
  bool ok = tokens.now().is('[')   ? parse_memory(fe, out)
            : tokens.now().is('{') ? parse_vector(fe, all, out)
                                   : parse_scalar(fe, out);
  out.where = tokens.span(begin, tokens.before().end());
  return ok;
}

}  // namespace

bool parse_value(FrontEnd& fe, RawOperand& out) {
  uint32_t begin = fe.tokens.now().begin;
  if (!parse_scalar(fe, out)) return false;
  out.where = fe.tokens.span(begin, fe.tokens.before().end());
  return true;
}

bool parse_operands(FrontEnd& fe, RawOperands& out) {
  TokenStream& tokens = fe.tokens;
  out.count = out.element_count = 0;
  if (tokens.now().is(';')) return true;
  bool after_bar = false;
  for (;;) {
    if (out.count + 1 >= RawOperands::kMax)
      return tokens.unsupported(tokens.span(), "no instruction has as many operands");
    RawOperand& operand = out.list[out.count++];
    operand = {};
    operand.after_bar = after_bar;
    if (!parse_operand(fe, out, operand)) return false;
    if (operand.opens) {
      do {
        if (out.count == RawOperands::kMax)
          return tokens.unsupported(tokens.span(), "no instruction has as many operands");
        RawOperand& more = out.list[out.count++];
        more = {};
        more.inside = true;
        if (!parse_operand(fe, out, more)) return false;
      } while (tokens.accept(','));  // [texture, sampler, {x, y}]
      if (!tokens.expect(']', "after the coordinates")) return false;
    }
    if (!tokens.now().is(',') && !tokens.now().is('|')) break;
    after_bar = tokens.take().is('|');
  }
  // A ';' that is missing at the end of a line is the caller's business.
  if (tokens.now().is(';') || (!tokens.at_end() && tokens.now().line != tokens.before().line)) return true;
  return tokens.expected("',' or ';'");
}

}  // namespace warptime::ptx
