// Expressions over the names of a PTX program, for conditions and `print`.
//
//   %r1 + 4 * %tid.x        registers and special registers of a thread; also threadIdx.x, blockDim.y and so on
//   f32 [%rd1 + 4]          memory at a generic address, as a type; b32 is the default
//   shared.f32 [16]         memory of a space: global, shared, local, const, param
//   tile                    the address of a variable, or of a buffer; [tile + 8] is in its space
//   n  out[3]  a[1][2]      variables of C (c_names.h), their elements and members (p.x, p->x), *p and &n
//   $cycle $sm $warp $lane $pc $active
//
// Operators of C: + - * / % << >> < <= > >= == != & ^ | && || ! ~, in its order. Integers have 64 bits; with a float,
// both sides are doubles.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "debug/names/lane_view.h"

namespace warptime::debug {

struct ExpressionResult {
  Value value;
  ptx::Space space = ptx::Space::None;  // of an address
  /// Where the value is, if the expression is memory at the top level: in brackets, or a variable of C.
  std::optional<Addr> address;
  /// The register that the value is in, if the expression is one, or a variable of C in one.
  std::optional<uint32_t> reg;
  uint32_t c_type = 0;  // in CNames::types; 0: not a value of C
  std::string error;    // one sentence; empty: there is a value
  std::string hint;
  size_t at = 0;  // position of the error in the text
};

ExpressionResult evaluate(std::string_view text, const LaneView& lane);
/// The errors that evaluate() gives at any moment: of syntax, and names that do not exist. The value has no meaning.
ExpressionResult check_names(std::string_view text, const LaneView& lane);

/// The memory that an expression stands for where an address is asked for: what is in brackets, an array, what a
/// pointer of C points to, or the value as an address.
struct AddressMeant {
  ptx::Space space = ptx::Space::None;
  Addr address = 0;
};
AddressMeant address_meant(const LaneView& lane, const ExpressionResult& result);

/// The value as text; of C, in the manner of its type.
std::string shown_text(const LaneView& lane, const ExpressionResult& result, char format = 0);

}  // namespace warptime::debug
