#include "base/operators.h"

#include <algorithm>
#include <array>

namespace warptime {

namespace {

constexpr uint8_t kC = 1, kArithmetic = 2, kBoth = 3;
// Longer ones first, where one begins with another.
constexpr std::array kOperators{Operator{"||", Op::Or, 1, kC},
                                Operator{"&&", Op::And, 2, kC},
                                Operator{"==", Op::Eq, 6, kC},
                                Operator{"!=", Op::Ne, 6, kC},
                                Operator{"<<", Op::Shl, 8, kC},
                                Operator{">>", Op::Shr, 8, kC},
                                Operator{"<=", Op::Le, 7, kC},
                                Operator{">=", Op::Ge, 7, kC},
                                Operator{"<", Op::Lt, 7, kBoth},
                                Operator{">", Op::Gt, 7, kBoth},
                                Operator{"|", Op::BitOr, 3, kC},
                                Operator{"^", Op::BitXor, 4, kC},
                                Operator{"&", Op::BitAnd, 5, kC},
                                Operator{"+", Op::Add, 9, kBoth},
                                Operator{"-", Op::Sub, 9, kBoth},
                                Operator{"*", Op::Mul, 10, kBoth},
                                Operator{"/", Op::Div, 10, kBoth},
                                Operator{"%", Op::Rem, 10, kBoth},
                                Operator{"^", Op::Power, kClosest, kArithmetic}};

uint64_t divide(Op op, uint64_t a, uint64_t b, bool is_signed) {
  if (!is_signed) return op == Op::Div ? a / b : a % b;
  if (b == ~uint64_t{0}) return op == Op::Div ? 0 - a : 0;  // the one signed quotient that overflows is -2^63 / -1
  const auto x = static_cast<int64_t>(a), y = static_cast<int64_t>(b);
  return static_cast<uint64_t>(op == Op::Div ? x / y : x % y);
}

}  // namespace

const Operator* operator_at(std::string_view text, Notation notation) {
  constexpr std::string_view kFirst = "|&=!<>+-*/%^";  // most texts begin with none
  if (text.empty() || kFirst.find(text[0]) == kFirst.npos) return nullptr;
  for (const Operator& op : kOperators)
    if ((op.notations & static_cast<uint8_t>(notation)) != 0 && text.starts_with(op.text)) return &op;
  return nullptr;
}

std::optional<uint64_t> compute(Op op, uint64_t a, uint64_t b, bool is_signed) {
  const auto x = static_cast<int64_t>(a), y = static_cast<int64_t>(b);
  switch (op) {
    case Op::Or: return a != 0 || b != 0;
    case Op::And: return a != 0 && b != 0;
    case Op::Eq: return a == b;
    case Op::Ne: return a != b;
    case Op::Lt: return is_signed ? x < y : a < b;
    case Op::Le: return is_signed ? x <= y : a <= b;
    case Op::Gt: return is_signed ? x > y : a > b;
    case Op::Ge: return is_signed ? x >= y : a >= b;
    case Op::BitOr: return a | b;
    case Op::BitXor: return a ^ b;
    case Op::BitAnd: return a & b;
    case Op::Shl: return b > 63 ? 0 : a << b;
    case Op::Shr:
      if (is_signed) return static_cast<uint64_t>(x >> std::min<uint64_t>(b, 63));
      return b > 63 ? 0 : a >> b;
    case Op::Add: return a + b;
    case Op::Sub: return a - b;
    case Op::Mul: return a * b;
    case Op::Div:
    case Op::Rem:
      if (b != 0) return divide(op, a, b, is_signed);
      break;
    case Op::Power: break;
  }
  return std::nullopt;
}

std::optional<double> compute(Op op, double a, double b) {
  switch (op) {
    case Op::Eq: return a == b;
    case Op::Ne: return a != b;
    case Op::Lt: return a < b;
    case Op::Le: return a <= b;
    case Op::Gt: return a > b;
    case Op::Ge: return a >= b;
    case Op::Add: return a + b;
    case Op::Sub: return a - b;
    case Op::Mul: return a * b;
    case Op::Div: return a / b;
    case Op::Or:
    case Op::And:
    case Op::BitOr:
    case Op::BitXor:
    case Op::BitAnd:
    case Op::Shl:
    case Op::Shr:
    case Op::Rem:
    case Op::Power: break;
  }
  return std::nullopt;
}

}  // namespace warptime
