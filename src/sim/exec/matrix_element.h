// One element of a product of matrices of floating-point numbers, as an H200 makes it: in which blocks the products are
// summed, and to what each sum is rounded (docs/matrix-instructions.md).
#pragma once

#include <cstdint>
#include <span>

#include "sim/exec/matrix_numbers.h"

namespace warptime::sim {

inline constexpr uint32_t kMostDepth = 256;  // k

struct ElementTypes {
  ptx::Type d = ptx::Type::None, a = ptx::Type::None, c = ptx::Type::None;
  bool is_wmma = false;
};

/// What is multiplied to an element of D, and its accumulator.
struct Element {
  ElementTypes of;
  std::span<const MatrixNumber> a, b;
  MatrixNumber accumulator;
};

/// f16, bf16, tf32: blocks of neighbours in k. The bits of the result.
uint32_t in_blocks(const Element& d);
/// e4m3, e5m2 in mma: two blocks, of the first two and the last two of each four in k, the second on top of the first,
/// each rounded to the type of D; then one addition of the accumulator. Factors are as `as_f16` makes them.
uint32_t in_halves(const Element& d);
/// m8n8k4 of f16, which later hardware does not have: instructions of f32. Pairs of products if D is f16, else one
/// after the other, and the accumulator last.
uint32_t in_turn(const Element& d);

/// e4m3, e5m2 in wgmma: blocks of 32, of which fewer bits are kept, and so are of a result in f32. Factors are as
/// `as_f16` makes them.
uint32_t in_wide_blocks(const Element& d);

/// A number of 8 bits with the fraction of the f16 that it is.
MatrixNumber as_f16(ptx::Type type, uint32_t bits);

}  // namespace warptime::sim
