// The one parser of expressions, by precedence climbing: it knows operators, signs and nesting; operands, values and
// errors are those of the class that derives from it. No library is used: docs/libraries.md.
#pragma once

#include "base/nesting.h"
#include "base/operators.h"

namespace warptime {

/// `Own` derives from it and has these functions; each that is bool returns false after an error.
///   const Operator* operator_here()    the operator that comes next, where an operand has ended; nullptr: none
///   Place take(const Operator&)        goes past it
///   Sign take_sign()                   goes past a sign, where an operand is expected; converts to false: none
///   bool primary(Value*)               reads an operand without a sign
///   bool apply_sign(Sign, Value*)
///   bool apply(const Operator&, Place, Value* left, const Value& right)
///   bool too_deep()                    an error: nested too deeply
template <typename Own, typename Value>
class PrecedenceParser {
 public:
  /// Operands, and between them operators of this precedence or a higher one.
  bool climb(int lowest, Value* out) {
    if (!unary(out)) return false;
    for (;;) {
      const Operator* found = own().operator_here();
      if (found == nullptr || found->precedence < lowest) return true;
      auto place = own().take(*found);
      if (!own().begin_right(*found, place, *out)) return false;
      Value right;
      const bool to_the_right = found->precedence == kClosest;
      if (!(to_the_right ? nested(kClosest, &right) : climb(found->precedence + 1, &right))) return false;
      if (!own().apply(*found, place, out, right)) return false;
    }
  }
  bool unary(Value* out) {
    auto sign = own().take_sign();
    if (!sign) return own().primary(out);
    return nested(kClosest, out) && own().apply_sign(sign, out);
  }
  /// climb(), one level deeper.
  bool nested(int lowest, Value* out) {
    Nesting level(depth_);
    return level.too_deep() ? own().too_deep() : climb(lowest, out);
  }

 protected:
  /// Called between an operator and its right side.
  template <typename Place>
  bool begin_right(const Operator&, const Place&, const Value&) {
    return true;
  }

  uint32_t depth_ = 0;

 private:
  Own& own() { return static_cast<Own&>(*this); }
};

/// A parser of a text, in which blanks may stand before each token.
template <typename Own, typename Value, Notation notation>
class TextExpressionParser : public PrecedenceParser<Own, Value> {
 public:
  TextExpressionParser(std::string_view text, std::string_view blanks) : text_(text), blanks_(blanks) {}

  const Operator* operator_here() {
    skip_blanks();
    return operator_at(text_.substr(at_), notation);
  }
  size_t take(const Operator& op) {
    at_ += op.text.size();
    return at_ - op.text.size();
  }

 protected:
  void skip_blanks() {
    while (at_ < text_.size() && blanks_.find(text_[at_]) != std::string_view::npos) ++at_;
  }
  bool take(char token) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != token) return false;
    ++at_;
    return true;
  }

  std::string_view text_, blanks_;
  size_t at_ = 0;
};

}  // namespace warptime
