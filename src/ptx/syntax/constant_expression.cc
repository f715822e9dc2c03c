// Arithmetic is unsigned where either side is, as in C.
#include "ptx/syntax/constant_expression.h"

#include <array>

#include "base/precedence_parser.h"

namespace warptime::ptx {

namespace {

class ExpressionParser : public PrecedenceParser<ExpressionParser, Constant> {
 public:
  explicit ExpressionParser(TokenStream& tokens) : tokens_(tokens) {}

  bool ternary(Constant* out) {
    Nesting level(depth_);
    if (level.too_deep()) return too_deep();
    bool ok = climb(kLoosest, out);
    if (ok && tokens_.accept('?')) {
      Constant yes, no;
      bool condition = out->bits != 0;
      ok = ternary(&yes) && tokens_.expect(':', "in a conditional expression") && ternary(&no);
      if (ok) *out = condition ? yes : no;
    }
    return ok;
  }

  const Operator* operator_here() const {
    const Token& token = tokens_.now();
    const std::array text{token.character, tokens_.byte_at(token.end())};
    if (token.kind != TokenKind::Punctuation) return nullptr;
    return operator_at({text.data(), text.size()}, Notation::C);
  }
  SourceSpan take(const Operator& found) {
    const uint32_t begin = tokens_.take().begin;
    if (found.text.size() == 2) tokens_.take();
    return tokens_.span(begin, begin + static_cast<uint32_t>(found.text.size()));
  }
  std::optional<Token> take_sign() { return is_sign(tokens_.now()) ? std::optional(tokens_.take()) : std::nullopt; }
  bool apply_sign(const std::optional<Token>& sign, Constant* out) {
    if (sign->is('!')) {
      *out = Constant::of(int64_t{out->as_double() == 0});
    } else if (sign->is('-')) {
      if (out->kind == Constant::Kind::Single) out->bits ^= 0x80000000u;
      if (out->kind == Constant::Kind::Double) *out = Constant::of(-out->as_double());
      if (out->is_integer()) out->bits = 0 - out->bits;
      // -9223372036854775808 is the one literal that is only legal with its sign.
      if (out->kind == Constant::Kind::Unsigned && out->bits == uint64_t{1} << 63) out->kind = Constant::Kind::Signed;
    } else if (sign->is('~')) {
      if (!out->is_integer()) return tokens_.error(tokens_.span(*sign), "'~' needs an integer");
      out->bits = ~out->bits;
    }
    return true;
  }
  bool apply(const Operator& found, SourceSpan where, Constant* left, const Constant& right) {
    using Kind = Constant::Kind;
    const Op op = found.op;
    if (left->is_integer() && right.is_integer()) {
      const bool is_shift = op == Op::Shl || op == Op::Shr;
      const bool is_signed = left->kind == Kind::Signed && (is_shift || right.kind == Kind::Signed);
      if (const auto bits = compute(op, left->bits, right.bits, is_signed)) {
        *left = {is_signed || is_truth(op) ? Kind::Signed : Kind::Unsigned, *bits};
        return true;
      }
    } else if (const auto number = compute(op, left->as_double(), right.as_double())) {
      *left = is_truth(op) ? Constant::of(int64_t{*number != 0}) : Constant::of(*number);
      return true;
    }
    const bool zero = (op == Op::Div || op == Op::Rem) && right.bits == 0;
    return tokens_.error(where, zero ? "division by zero in a constant expression" : "this operator needs integers");
  }
  bool too_deep() {
    const Token& token = is_sign(tokens_.before()) ? tokens_.before() : tokens_.now();
    return tokens_.error(tokens_.span(token), "this constant expression is nested too deeply");
  }
  bool primary(Constant* out) {
    Token token = tokens_.now();
    if (token.kind == TokenKind::Number) {
      std::string why;
      auto value = parse_literal(tokens_.text(token), &why);
      tokens_.take();
      if (!value) {
        std::string_view text = tokens_.text(token);
        return tokens_.error(tokens_.span(token), fmt::format("\"{}\" {}", text.substr(0, 40), why));
      }
      *out = *value;
      return true;
    }
    if (token.kind == TokenKind::Identifier && tokens_.text(token) == "WARP_SZ") {
      tokens_.take();
      *out = Constant::of(int64_t{32});
      return true;
    }
    if (tokens_.accept('(')) {
      if (tokens_.now().kind == TokenKind::Word) return cast(out);
      return ternary(out) && tokens_.expect(')', "after a constant expression");
    }
    return tokens_.expected("a constant");
  }

 private:
  static bool is_sign(const Token& token) { return token.is('-') || token.is('+') || token.is('~') || token.is('!'); }

  bool cast(Constant* out) {  // (.s64) and (.u64), after the '('
    Nesting level(depth_);
    if (level.too_deep()) return too_deep();
    Token word = tokens_.take();
    std::string_view type = tokens_.text(word);
    if (type != ".s64" && type != ".u64") return tokens_.error(tokens_.span(word), "a cast is (.s64) or (.u64)");
    if (!tokens_.expect(')', "after a cast") || !unary(out)) return false;
    if (!out->is_integer()) return tokens_.error(tokens_.span(word), "a cast needs an integer");
    out->kind = type == ".s64" ? Constant::Kind::Signed : Constant::Kind::Unsigned;
    return true;
  }

  TokenStream& tokens_;
};

}  // namespace

bool begins_constant(const TokenStream& tokens) {
  const Token& token = tokens.now();
  if (token.kind == TokenKind::Number || token.is('-') || token.is('+') || token.is('(') || token.is('~')) return true;
  char after = tokens.byte_at(token.end());
  if (token.is('!')) return (after >= '0' && after <= '9') || after == '(';  // else a predicate follows
  return token.kind == TokenKind::Identifier && tokens.text() == "WARP_SZ";
}

bool parse_constant(TokenStream& tokens, Constant* out) { return ExpressionParser(tokens).ternary(out); }

bool parse_integer(TokenStream& tokens, std::string_view what, uint64_t low, uint64_t high, uint64_t* out,
                   bool with_operators) {
  uint32_t begin = tokens.now().begin;
  Constant constant;
  ExpressionParser parser(tokens);
  if (!(with_operators ? parser.ternary(&constant) : parser.unary(&constant))) return false;
  SourceSpan where = tokens.span(begin, tokens.before().end());
  if (!constant.is_integer()) return tokens.error(where, fmt::format("{} must be an integer", what));
  bool negative = constant.kind == Constant::Kind::Signed && static_cast<int64_t>(constant.bits) < 0;
  if (negative || constant.bits < low || constant.bits > high) {
    std::string value =
        negative ? fmt::format("{}", static_cast<int64_t>(constant.bits)) : fmt::format("{}", constant.bits);
    return tokens.error(where, fmt::format("{} must be from {} to {}, not {}", what, low, high, value));
  }
  *out = constant.bits;
  return true;
}

}  // namespace warptime::ptx
