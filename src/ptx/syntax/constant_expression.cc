// Precedence climbing over the token stream. Arithmetic is unsigned where either side is, as in C.
#include "ptx/syntax/constant_expression.h"

#include <bit>

#include "base/nesting.h"

namespace warptime::ptx {

namespace {

enum class Op : uint8_t {
  None,
  Or,
  And,
  BitOr,
  BitXor,
  BitAnd,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  Shl,
  Shr,
  Add,
  Sub,
  Mul,
  Div,
  Rem
};

struct Operator {
  Op op = Op::None;
  int precedence = 0;
  int characters = 0;
};

Operator operator_at(const TokenStream& tokens) {
  const Token& token = tokens.now();
  if (token.kind != TokenKind::Punctuation) return {};
  char second = tokens.byte_at(token.end());
  switch (token.character) {
    case '|': return second == '|' ? Operator{Op::Or, 1, 2} : Operator{Op::BitOr, 3, 1};
    case '&': return second == '&' ? Operator{Op::And, 2, 2} : Operator{Op::BitAnd, 5, 1};
    case '^': return {Op::BitXor, 4, 1};
    case '=': return second == '=' ? Operator{Op::Eq, 6, 2} : Operator{};
    case '!': return second == '=' ? Operator{Op::Ne, 6, 2} : Operator{};
    case '<':
      return second == '<' ? Operator{Op::Shl, 8, 2} : second == '=' ? Operator{Op::Le, 7, 2} : Operator{Op::Lt, 7, 1};
    case '>':
      return second == '>' ? Operator{Op::Shr, 8, 2} : second == '=' ? Operator{Op::Ge, 7, 2} : Operator{Op::Gt, 7, 1};
    case '+': return {Op::Add, 9, 1};
    case '-': return {Op::Sub, 9, 1};
    case '*': return {Op::Mul, 10, 1};
    case '/': return {Op::Div, 10, 1};
    case '%': return {Op::Rem, 10, 1};
    default: return {};
  }
}

std::optional<Constant> apply_float(Op op, double a, double b) {
  switch (op) {
    case Op::Add: return Constant::of(a + b);
    case Op::Sub: return Constant::of(a - b);
    case Op::Mul: return Constant::of(a * b);
    case Op::Div: return Constant::of(a / b);
    case Op::Eq: return Constant::of(int64_t{a == b});
    case Op::Ne: return Constant::of(int64_t{a != b});
    case Op::Lt: return Constant::of(int64_t{a < b});
    case Op::Le: return Constant::of(int64_t{a <= b});
    case Op::Gt: return Constant::of(int64_t{a > b});
    case Op::Ge: return Constant::of(int64_t{a >= b});
    case Op::None:
    case Op::Or:
    case Op::And:
    case Op::BitOr:
    case Op::BitXor:
    case Op::BitAnd:
    case Op::Shl:
    case Op::Shr:
    case Op::Rem: break;
  }
  return std::nullopt;
}

uint64_t divide(Op op, uint64_t a, uint64_t b, bool is_signed) {
  if (!is_signed) return op == Op::Div ? a / b : a % b;
  if (b == ~uint64_t{0}) return op == Op::Div ? 0 - a : 0;  // the one signed quotient that overflows is -2^63 / -1
  auto x = static_cast<int64_t>(a), y = static_cast<int64_t>(b);
  return static_cast<uint64_t>(op == Op::Div ? x / y : x % y);
}

uint64_t shift_right(Constant a, uint64_t by) {
  bool is_signed = a.kind == Constant::Kind::Signed;
  if (by > 63) return is_signed && static_cast<int64_t>(a.bits) < 0 ? ~uint64_t{0} : 0;
  return is_signed ? static_cast<uint64_t>(static_cast<int64_t>(a.bits) >> by) : a.bits >> by;
}

/// nullopt: the operator is not for these operands (integers only, or a division by zero).
std::optional<Constant> apply(Op op, Constant a, Constant b) {
  if (!a.is_integer() || !b.is_integer()) return apply_float(op, a.as_double(), b.as_double());
  bool is_signed = a.kind == Constant::Kind::Signed && b.kind == Constant::Kind::Signed;
  auto less = [&](uint64_t x, uint64_t y) {
    return is_signed ? static_cast<int64_t>(x) < static_cast<int64_t>(y) : x < y;
  };
  auto number = [&](uint64_t bits) {
    return Constant{is_signed ? Constant::Kind::Signed : Constant::Kind::Unsigned, bits};
  };
  auto truth = [](bool value) { return Constant::of(int64_t{value}); };
  switch (op) {
    case Op::None: return std::nullopt;
    case Op::Or: return truth(a.bits != 0 || b.bits != 0);
    case Op::And: return truth(a.bits != 0 && b.bits != 0);
    case Op::BitOr: return number(a.bits | b.bits);
    case Op::BitXor: return number(a.bits ^ b.bits);
    case Op::BitAnd: return number(a.bits & b.bits);
    case Op::Eq: return truth(a.bits == b.bits);
    case Op::Ne: return truth(a.bits != b.bits);
    case Op::Lt: return truth(less(a.bits, b.bits));
    case Op::Le: return truth(!less(b.bits, a.bits));
    case Op::Gt: return truth(less(b.bits, a.bits));
    case Op::Ge: return truth(!less(a.bits, b.bits));
    case Op::Shl: return Constant{a.kind, b.bits > 63 ? 0 : a.bits << b.bits};
    case Op::Shr: return Constant{a.kind, shift_right(a, b.bits)};
    case Op::Add: return number(a.bits + b.bits);
    case Op::Sub: return number(a.bits - b.bits);
    case Op::Mul: return number(a.bits * b.bits);
    case Op::Div:
    case Op::Rem:
      if (b.bits == 0) return std::nullopt;
      return number(divide(op, a.bits, b.bits, is_signed));
  }
  return std::nullopt;
}

class ExpressionParser {
 public:
  explicit ExpressionParser(TokenStream& tokens) : tokens_(tokens) {}

  bool ternary(Constant* out) {
    Nesting level(depth_);
    if (level.too_deep()) return nested_too_deeply();
    bool ok = binary(1, out);
    if (ok && tokens_.accept('?')) {
      Constant yes, no;
      bool condition = out->bits != 0;
      ok = ternary(&yes) && tokens_.expect(':', "in a conditional expression") && ternary(&no);
      if (ok) *out = condition ? yes : no;
    }
    return ok;
  }

  bool unary(Constant* out) {
    Token token = tokens_.now();
    bool sign = token.is('-') || token.is('+') || token.is('~') || token.is('!');
    if (!sign) return primary(out);
    Nesting level(depth_);
    if (level.too_deep()) return nested_too_deeply();
    tokens_.take();
    bool ok = unary(out);
    if (!ok || token.is('+')) return ok;
    if (token.is('!')) {
      *out = Constant::of(int64_t{out->as_double() == 0});
    } else if (token.is('-')) {
      if (out->kind == Constant::Kind::Single) out->bits ^= 0x80000000u;
      if (out->kind == Constant::Kind::Double) *out = Constant::of(-out->as_double());
      if (out->is_integer()) out->bits = 0 - out->bits;
      // -9223372036854775808 is the one literal that is only legal with its sign.
      if (out->kind == Constant::Kind::Unsigned && out->bits == uint64_t{1} << 63) out->kind = Constant::Kind::Signed;
    } else {
      if (!out->is_integer()) return tokens_.error(tokens_.span(token), "'~' needs an integer");
      out->bits = ~out->bits;
    }
    return true;
  }

 private:
  bool binary(int lowest, Constant* out) {
    if (!unary(out)) return false;
    for (;;) {
      Operator found = operator_at(tokens_);
      if (found.op == Op::None || found.precedence < lowest) return true;
      Token token = tokens_.take();
      if (found.characters == 2) tokens_.take();
      Constant right;
      if (!binary(found.precedence + 1, &right)) return false;
      auto result = apply(found.op, *out, right);
      SourceSpan where = tokens_.span(token.begin, token.begin + static_cast<uint32_t>(found.characters));
      bool zero = (found.op == Op::Div || found.op == Op::Rem) && right.bits == 0;
      if (!result)
        return tokens_.error(where,
                             zero ? "division by zero in a constant expression" : "this operator needs integers");
      *out = *result;
    }
  }

  bool nested_too_deeply() { return tokens_.error(tokens_.span(), "this constant expression is nested too deeply"); }

  bool cast(Constant* out) {  // (.s64) and (.u64), after the '('
    Nesting level(depth_);
    if (level.too_deep()) return nested_too_deeply();
    Token word = tokens_.take();
    std::string_view type = tokens_.text(word);
    if (type != ".s64" && type != ".u64") return tokens_.error(tokens_.span(word), "a cast is (.s64) or (.u64)");
    if (!tokens_.expect(')', "after a cast") || !unary(out)) return false;
    if (!out->is_integer()) return tokens_.error(tokens_.span(word), "a cast needs an integer");
    out->kind = type == ".s64" ? Constant::Kind::Signed : Constant::Kind::Unsigned;
    return true;
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

  TokenStream& tokens_;
  uint32_t depth_ = 0;
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
