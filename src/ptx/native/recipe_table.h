// The recipes: the native instructions for a PTX instruction, and the operands that they may read from memory. One row
// each; the first matching row applies. A PTX instruction without a row is one native instruction with only registers.
#pragma once

#include <string_view>

#include "ptx/module.h"

namespace warptime::ptx {

struct Recipe {
  std::string_view card;
  TypeSet types;           // the first type word of the PTX instruction; empty: any
  ModSet words;            // that it must have
  std::string_view steps;  // native mnemonics; "mul*5" is five of them; "+mov" does not need the result of the step
                           // before it, every other step does; empty: nothing is left of it
  std::string_view
      shared;  // its sources, as letters, that may be s[] (the first native source; factors and terms swap)
  std::string_view constant;  // that may be c[] (the second or third)
};

struct StepCount {
  uint16_t sp = 0, sfu = 0;
  uint16_t chain_sp = 0, chain_sfu = 0;  // of these, those that need the result of the step before them, and the first
  uint16_t parallel = 0;                 // the others
};
StepCount count_steps(std::string_view steps);

/// `type`: the type to look it up under (a narrowed instruction goes by its 32-bit one).
Recipe find_recipe(const Instruction& instruction, Type type);

/// U64 -> U32, S64 -> S32, B64 -> B32; others as they are.
Type narrowed(Type type);

}  // namespace warptime::ptx
