// An operand as it is written, before its names are resolved.
#pragma once

#include "ptx/syntax/constant.h"
#include "ptx/syntax/front_end.h"

namespace warptime::ptx {

struct RawOperand {
  enum class Kind : uint8_t {
    Name,      // name, name.x, name + constant, name[index]
    Constant,  // `constant`
    Memory,    // [name], [name + constant], [constant]; [name, ...] begins with one and has another within the brackets
    Vector,    // { ... }: `count` operands from `first` on in RawOperands::elements
    Sink,      // _
  };
  Kind kind = Kind::Name;
  bool negated = false;    // '!'
  bool minus = false;      // '-' before a name
  bool after_bar = false;  // d|q
  bool opens = false;      // of Memory: the next operand stands in the same brackets
  bool inside = false;     // that one
  bool has_name = false;
  bool has_offset = false;
  bool indexed = false;   // name[index]: the offset counts elements
  uint8_t component = 0;  // .x .y .z .w: 1 to 4
  uint8_t first = 0, count = 0;
  uint64_t selector = 0;  // .b0, .h1, .b7654: its characters, the first in the low byte
  NameId name = 0;
  Constant constant;  // or the offset
  SourceSpan where;
};

struct RawOperands {
  static constexpr size_t kMax = 12, kMaxElements = 160;
  std::array<RawOperand, kMax> list;
  std::array<RawOperand, kMaxElements> elements;
  size_t count = 0, element_count = 0;
};

/// Parses a register, a constant, a variable's name or '_'. False after a diagnostic.
bool parse_value(FrontEnd& fe, RawOperand& out);

/// Parses the operands of an instruction, up to its ';'. False after a diagnostic.
bool parse_operands(FrontEnd& fe, RawOperands& out);

}  // namespace warptime::ptx
