#include "sim/exec/matrix_element.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace warptime::sim {

using ptx::Type;

namespace {

uint32_t rounded(const ElementTypes& of, const ExactSum& sum) {
  if (of.d != Type::F16) return f32_of(sum);
  // On top of an accumulator in f32 the sum is an f32 first.
  if (of.c == Type::F32) return f16_of(exactly(matrix_number(Type::F32, f32_of(sum)), Type::F32));
  const uint32_t bits = f16_of(sum);
  return (bits & 0x7fff) == 0 ? 0 : bits;  // what becomes zero has no sign
}
uint32_t rounded(const ElementTypes& of, float sum) {
  const uint32_t bits = sum == sum ? std::bit_cast<uint32_t>(sum) : kNanF32;
  return of.d == Type::F16 ? f16_of(exactly(matrix_number(Type::F32, bits), Type::F32)) : bits;
}

/// Blocks of `size` neighbours, each on top of the sum before it.
uint32_t in_blocks_of(const Element& d, size_t size, uint32_t fraction, int32_t kept_bits) {
  MatrixNumber accumulator = d.accumulator;
  Type type = d.of.c;
  if (type == Type::F16 && (d.of.d == Type::F32 || accumulator.digits == 0)) {  // it becomes an f32 before
    accumulator = matrix_number(Type::F32, std::bit_cast<uint32_t>(value_of(accumulator, type)));
    type = Type::F32;
  }
  for (size_t first = 0;; first += size) {
    const size_t count = std::min(size, d.a.size() - first);
    const ExactSum sum = block_sum(d.a.subspan(first, count), d.b.subspan(first, count), fraction, accumulator,
                                   fraction_bits(type), kept_bits);
    if (first + count == d.a.size()) return rounded(d.of, sum);
    accumulator = matrix_number(Type::F32, f32_of(sum));
    type = Type::F32;
  }
}

}  // namespace

uint32_t in_blocks(const Element& d) {
  const size_t size = d.of.a != Type::TF32 ? 16 : d.of.is_wmma ? 4 : 8;
  return in_blocks_of(d, size, 2 * fraction_bits(d.of.a), kKeptBits);
}

uint32_t in_wide_blocks(const Element& d) {
  constexpr size_t kBlock = 32;
  constexpr int32_t kKept = 13;  // below the greatest exponent, and of the fraction of a result in f32
  const uint32_t bits = in_blocks_of(d, kBlock, 2 * fraction_bits(Type::F16), kKept);
  const bool is_finite = (bits & 0x7f800000) != 0x7f800000;
  return d.of.d == Type::F32 && is_finite ? bits & ~((1u << (23 - kKept)) - 1) : bits;
}

uint32_t in_halves(const Element& d) {
  const Type type = d.of.d;
  MatrixNumber sum = matrix_number(type, 0);
  for (size_t half = 0; half < 2; ++half) {
    std::array<MatrixNumber, kMostDepth> a, b;
    size_t count = 0;
    for (size_t i = 0; i < d.a.size(); ++i) {
      if (i % 4 / 2 != half) continue;
      a[count] = d.a[i];
      b[count++] = d.b[i];
    }
    sum = matrix_number(type, rounded(d.of, block_sum({a.data(), count}, {b.data(), count},
                                                      2 * fraction_bits(Type::F16), sum, fraction_bits(type))));
  }
  return rounded(d.of, value_of(sum, type) + value_of(d.accumulator, type));
}

uint32_t in_turn(const Element& d) {
  auto factor = [&](std::span<const MatrixNumber> of, size_t k) { return value_of(of[k], Type::F16); };
  auto added = [&](size_t k, float sum) { return std::fma(factor(d.a, k), factor(d.b, k), sum); };
  const float accumulator = value_of(d.accumulator, d.of.c);
  if (d.of.d == Type::F32) return rounded(d.of, added(3, added(2, added(1, added(0, 0)))) + accumulator);
  return rounded(d.of,
                 added(0, factor(d.a, 1) * factor(d.b, 1)) + added(2, factor(d.a, 3) * factor(d.b, 3)) + accumulator);
}

MatrixNumber as_f16(Type type, uint32_t bits) {
  MatrixNumber number = matrix_number(type, bits);
  if (number.kind == MatrixNumber::Kind::Finite) number.digits *= 1 << (fraction_bits(Type::F16) - fraction_bits(type));
  return number;
}

}  // namespace warptime::sim
