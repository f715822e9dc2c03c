// The spellings of an instruction form: one case for each choice of types, suffix words and register types, with its
// PTX text. Table and text only, so that the recorder on a machine with a GPU shares it with the tests.
#pragma once

#include <string>
#include <vector>

#include "reference.h"

namespace warptime::sim {

/// One spelling of a form, as an instruction of a module made for this test.
struct Case {
  std::string text;  // "add.s32 %d_s32, %a_s32, %b_s32;"
  Spelled spelled;
  std::vector<ptx::Type> sources;    // as the instruction reads them
  std::vector<ptx::Type> registers;  // the types of their registers (cvt: may be wider)
  ptx::Type destination = ptx::Type::None, destination_register = ptx::Type::None;
  bool negates_predicate = false;  // the predicate source is written with '!'
  bool has_second = false;         // d|q
  int64_t immediate = -1;          // lop3's table
};

/// The type that a register for values of this type is declared with: those of bf16 and tf32 are registers of bits.
ptx::Type declared_type(ptx::Type type);

/// Every spelling of a form that differs in values: `legacy` asks for a module of PTX 1.4 and sm_13.
std::vector<Case> cases_of(const ptx::CardRow& card, const ptx::Form& form, bool legacy);

}  // namespace warptime::sim
