// Declarations of variables and registers (PTX ISA 9.0, chapter 5): `.align 4 .v2 .f32 name[8][2] = {...}`.
#pragma once

#include "ptx/syntax/front_end.h"

namespace warptime::ptx {

/// What stands between the state space and the name.
struct DeclaredType {
  Type type = Type::None;
  uint8_t vector = 1;
  uint32_t alignment = 0;   // 0: the natural one
  bool is_pointer = false;  // .ptr
  bool is_texture = false;  // .texref
  SourceSpan where;
};

/// The list behind .attribute: `(.managed)`, `(.unified(1, 2))` (PTX ISA 9.0, 5.4.8). What they say about the host and
/// about linking means nothing here. False after a diagnostic.
bool parse_attribute(FrontEnd& fe);

/// `[2]` behind .const: one of the banks that constants were in until PTX 2.1. They are all one here.
bool parse_bank(TokenStream& tokens);

/// Attributes and type, up to the name. False after a diagnostic.
bool parse_declared_type(FrontEnd& fe, DeclaredType* out);

/// One name with its dimensions and initialiser.
bool parse_declarator(FrontEnd& fe, Space space, const DeclaredType& type, bool external, Symbol* out);

/// `= ...` of a variable; `dimensions` (outermost first, the elements of a vector last) may begin with 0 for "as many
/// as there are". `now` is behind the '='.
bool parse_initialiser(FrontEnd& fe, std::vector<uint64_t>& dimensions, Symbol& symbol);

/// Attributes and type of registers, up to the name; vectors have two or four elements. False after a diagnostic.
bool parse_register_type(FrontEnd& fe, DeclaredType* out);

/// .reg: everything after the directive, with its ';'.
bool parse_registers(FrontEnd& fe);

}  // namespace warptime::ptx
