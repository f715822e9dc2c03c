// The operators of expressions that users write: constant expressions of PTX, the debugger's, and those of YAML files.
// Their texts, their precedence and their arithmetic; base/precedence_parser.h parses with them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace warptime {

/// Those whose value is true or false come first.
enum class Op : uint8_t {
  Or,
  And,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  BitOr,
  BitXor,
  BitAnd,
  Shl,
  Shr,
  Add,
  Sub,
  Mul,
  Div,
  Rem,
  Power
};

inline bool is_truth(Op op) { return op <= Op::Ge; }

/// Whose operators: C's that stand between two operands, or those of arithmetic with doubles, where ^ is a power.
enum class Notation : uint8_t { C = 1, Arithmetic = 2 };

struct Operator {
  std::string_view text;
  Op op;
  int precedence;  // the higher, the closer it binds
  uint8_t notations;
};

inline constexpr int kLoosest = 1;
inline constexpr int kAboveComparisons = 8;
/// The precedence of a power, which binds to the right and closer than a sign before it: -n^2 is -(n^2).
inline constexpr int kClosest = 11;

/// The operator that a text begins with; nullptr: none.
const Operator* operator_at(std::string_view text, Notation notation);

/// The value in C with 64 bits, and where C has none: results that do not fit wrap, and shifts by more than 63 leave
/// only signs. True is 1, false 0. nullopt: a division by zero.
std::optional<uint64_t> compute(Op op, uint64_t a, uint64_t b, bool is_signed);
/// nullopt: the operator is for integers.
std::optional<double> compute(Op op, double a, double b);

}  // namespace warptime
