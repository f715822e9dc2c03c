// cvt with stochastic rounding (.rs; PTX ISA 9.0, 9.7.9.21): random bits are added to those of the fraction that have
// no place in the result, and the carry rounds away from zero.
#pragma once

#include "sim/exec/insn.h"
#include "sim/exec/small_format.h"

namespace warptime::sim {

/// An f32 in a format, rounded by `count` random bits: they are added to the uppermost of the bits that are cut off.
/// What is too large is the largest number if `limited` or if the format has no infinity; `relu`: negative numbers are
/// +0. A NaN is the format's, or its largest number.
uint32_t randomly_rounded(float value, const SmallFormat& format, uint32_t random, int count, bool relu, bool limited);

/// The handler of a cvt with .rs.
Handler random_rounding_handler(const ptx::Instruction& instruction);

}  // namespace warptime::sim
