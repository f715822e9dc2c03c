// The operand list of a card ("d|q:pred, a, b{, !c:pred}", see isa/card.h) as data.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "ptx/isa/card.h"

namespace warptime::ptx {

struct OperandRule {
  enum class Kind : uint8_t {
    Value,   // register, constant, special register or symbol of type `type_of`
    Memory,  // [address]
    Target,  // label
    Table,   // list of labels
  };
  enum class TypeOf : uint8_t {
    First,     // the instruction's first type
    Second,    // its second type
    Wide,      // twice the width of the first
    Bits,      // any type as wide as the first
    Fixed,     // `fixed`
    Constant,  // an integer constant
    Address,   // an integer register of 32 or 64 bits
  };
  /// What an immediate of this operand may be, besides its type.
  enum class Limit : uint8_t {
    None,
    Barrier,   // a block has 16
    Threads,   // whole warps; 0 is the whole block
    Arrivals,  // whole warps, at least one
    CopySize,  // bytes of cp.async
    CopySize16,
    BulkSize,    // a multiple of 16
    SourceSize,  // at most the operand before it
    Sink,        // it is '_'
    MapSize,     // bytes of a tensor map
    MapField,    // the number of a dimension of a tensor
    MapValue,    // of a field of a tensor map (9.7.9.29)
    Registers,   // 24 to 256, eight at a time
    Sign,        // 1 or -1
    Bit,         // 0 or 1
    Zero,        // 0
    Quarter,     // 0 to 3
    Groups,      // not negative
    Descriptor,  // not the address of a variable
  };
  /// What may stand behind the name of a register, "%r1.h0" (video instructions).
  enum class Selector : uint8_t {
    None,
    Part,    // a byte or a half word
    Halves,  // two half words; of a destination, those that are written
    Bytes,   // four bytes
  };
  Kind kind = Kind::Value;
  Limit limit = Limit::None;
  TypeOf type_of = TypeOf::First;
  bool has_rule = false;  // it says what type; else it is the first
  Type fixed = Type::None;
  bool destination = false;
  bool optional = false;
  bool after_bar = false;    // the q of d|q
  bool negatable = false;    // may be written with '!'
  bool vector = false;       // a brace list with .v2 .v4 .v8
  bool coordinates = false;  // of a texture: a register or a brace list in the brackets of the operand before
  bool box = false;          // in a tensor: exactly as many as it has dimensions
  bool offsets = false;      // a brace list, one for each dimension of a tensor but the first and the last
  bool generic = false;      // of a memory operand: whatever the instruction's space
  Selector selector = Selector::None;
  bool slope = false;          // a brace list, one for each coordinate of a texture
  bool pair = false;           // a register of 128 bits: two of 64
  bool only_register = false;  // no constant
  bool signable = false;       // may be written with '-'
  bool pack = false;           // a register or a brace list whose widths add up
  uint8_t registers = 0;       // a brace list of so many, whatever the vector; 0: it is none
  bool by_columns = false;     // that number follows from Spelling::columns
  Space space = Space::None;   // of a memory operand: other than the instruction's
  std::string_view role;       // the letter, for messages

  /// The type at which an instruction with these types reads or writes the operand.
  Type type(Type first, Type second) const;
};

struct OperandRules {
  static constexpr size_t kMax = 10;
  std::array<OperandRule, kMax> list{};
  size_t count = 0;
  size_t required = 0;  // neither optional nor after a bar
  size_t most = 0;      // without those after a bar

  std::span<const OperandRule> all() const { return {list.data(), count}; }
};

OperandRules parse_operand_rules(std::string_view spec);

}  // namespace warptime::ptx
