// Runs one instruction form on many values: writes PTX text for every spelling of the form, lets the front end and the
// decoder make instructions of it, and runs their handlers warp by warp on every host instruction set, with full and
// with partial masks. What the handler leaves behind must be the whole state expected: the destination's lanes of the
// mask as the reference says, every other byte as it was.
#pragma once

#include <string>
#include <vector>

#include "ptx/operand_rule.h"
#include "reference.h"
#include "sim/exec/compiled_kernel.h"

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

/// Every spelling of a form that differs in values: `legacy` asks for a module of PTX 1.4 and sm_13.
std::vector<Case> cases_of(const ptx::CardRow& card, const ptx::Form& form, bool legacy);

/// Runs a form's cases with all values; fails the current test on the first difference of each case. `density` thins
/// the tuples of values: 1 takes all. Returns how many warps were run.
size_t run_cases(const std::vector<Case>& cases, bool legacy, uint32_t density);

}  // namespace warptime::sim
