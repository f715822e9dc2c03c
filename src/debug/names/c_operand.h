// Operands of expressions, and those that are variables of C, their elements and their members.
#pragma once

#include <string>
#include <string_view>

#include "debug/names/c_text.h"

namespace warptime::debug {

struct Operand {
  Value value{};
  ptx::Space space = ptx::Space::None;  // of the value, which is an address
  std::optional<Addr> address = {};
  ptx::Space address_space = ptx::Space::None;  // of `address`, where the value is
  std::optional<uint32_t> reg = {};             // or the register that it is in
  uint32_t c_type = 0;                          // 0: not a value of C
};

/// What is wrong with an expression, at a position of its text.
struct ExpressionFailure {
  std::string message, hint;
  size_t at;
};

/// "shared", for messages.
std::string_view name_of(ptx::Space space);

/// Each throws an ExpressionFailure; `begin`: the position of what it is about.
class COperands {
 public:
  /// `evaluates`: values are read; otherwise only names count.
  COperands(const LaneView& lane, bool evaluates) : lane_(lane), evaluates_(evaluates) {}

  /// The variable that a word begins with: "p" of "p.x"; nullptr: it is none of C.
  const CVariable* find(std::string_view word) const;
  Operand of(const CVariable& variable, size_t begin) const;
  /// What a pointer points to, or the first element of an array, `index` elements further.
  Operand pointed_to(const Operand& of, size_t begin, int64_t index = 0) const;
  Operand member(const Operand& of, std::string_view name, size_t begin) const;

 private:
  /// The value of a type at a place; of an array the address, of a structure nothing but the place.
  Operand at(uint32_t type, const CLocation& place, size_t begin) const;
  const CTypes& types() const { return lane_.names->c_names().types(); }

  const LaneView& lane_;
  bool evaluates_;
};

}  // namespace warptime::debug
