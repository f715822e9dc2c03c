// How tensor cores add up products of floating-point numbers, as measured on an H200 (docs/matrix-instructions.md): in
// blocks. The products of a block and its accumulator are exact; each is cut off towards zero at a bit that lies a
// fixed distance below the greatest exponent among them; what remains is summed exactly, and rounded once.
#pragma once

#include <cstdint>
#include <span>

#include "ptx/isa/types.h"

namespace warptime::sim {

/// A number as its bits have it: digits * 2^(exponent - fraction bits of the type). Subnormal numbers keep the
/// least exponent.
struct MatrixNumber {
  enum class Kind : uint8_t { Finite, Infinite, NotANumber };
  int32_t digits = 0;  // with the sign; of Infinite: 1 or -1
  int16_t exponent = 0;
  Kind kind = Kind::Finite;
  bool negative_zero = false;
};

/// `type`: F16, BF16, TF32 (whose lower 13 bits do not count), F32, E4M3 or E5M2.
MatrixNumber matrix_number(ptx::Type type, uint32_t bits);
/// Bits behind the point of these digits.
uint32_t fraction_bits(ptx::Type type);

/// Any NaN that is a result.
inline constexpr uint32_t kNanF32 = 0x7fffffff, kNanF16 = 0x7fff;

/// A sum without rounding.
struct ExactSum {
  int64_t sum = 0;  // in units of 2^unit
  int32_t unit = 0;
  MatrixNumber::Kind kind = MatrixNumber::Kind::Finite;
  bool negative = false;  // of an infinite one, and of a zero
};

/// Where numbers are cut off: so many bits below the greatest exponent.
inline constexpr int32_t kKeptBits = 25;
/// The sum of a block: a[i] * b[i], all of one type (`fraction` bits behind the point of a product), and the
/// accumulator.
ExactSum block_sum(std::span<const MatrixNumber> a, std::span<const MatrixNumber> b, uint32_t fraction,
                   MatrixNumber accumulator, uint32_t accumulator_fraction, int32_t kept_bits = kKeptBits);

/// The number alone, of this type.
ExactSum exactly(MatrixNumber number, ptx::Type type);
float value_of(MatrixNumber number, ptx::Type type);

/// Cut off towards zero.
uint32_t f32_of(const ExactSum& sum);
/// To nearest even.
uint32_t f16_of(const ExactSum& sum);

}  // namespace warptime::sim
