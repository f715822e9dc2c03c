// Signs that a G80 applies to an operand (envytools): sums, products and multiply-adds of f32 negate one; comparisons
// and the special functions do that, and take its absolute value.
#pragma once

#include "ptx/native/register_facts.h"

namespace warptime::ptx {

/// Whether the instruction is a negation or an absolute value of f32 that all of its readers apply themselves.
bool is_sign_of_readers(const Kernel& kernel, const RegisterFacts& facts, uint32_t instruction);

}  // namespace warptime::ptx
