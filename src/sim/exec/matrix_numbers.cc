#include "sim/exec/matrix_numbers.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace warptime::sim {

using ptx::Type;

namespace {

struct Format {
  uint32_t exponent_bits, fraction_bits, unused = 0;  // unused: the lowest bits of the register's
  bool has_infinity = true;                           // e4m3: the highest exponent has numbers, and one NaN

  int32_t bias() const { return (1 << (exponent_bits - 1)) - 1; }
};

Format format_of(Type type) {
  if (type == Type::F16) return {5, 10};
  if (type == Type::BF16) return {8, 7};
  if (type == Type::TF32) return {8, 10, 13};
  if (type == Type::E4M3) return {4, 3, 0, false};
  if (type == Type::E5M2) return {5, 2};
  return {8, 23};
}

/// |sum| * 2^unit with so many bits of fraction, none below 2^least: cut off, or to nearest even. Bits of exponent and
/// fraction, perhaps too great by the carry of a rounding.
uint64_t rounded(const ExactSum& sum, const Format& format, bool to_nearest) {
  const uint64_t size = sum.sum < 0 ? uint64_t{0} - static_cast<uint64_t>(sum.sum) : static_cast<uint64_t>(sum.sum);
  if (size == 0) return 0;
  const int32_t least = 1 - format.bias();
  const int32_t top = static_cast<int32_t>(std::bit_width(size)) - 1 + sum.unit;  // its exponent
  const int32_t exponent = std::max(top, least), last = exponent - static_cast<int32_t>(format.fraction_bits);
  const int32_t drop = last - sum.unit;  // bits below the last one
  uint64_t kept = 0;
  if (drop <= 0) {
    kept = size << -drop;
  } else if (drop < 64) {
    kept = size >> drop;
    const uint64_t rest = size & ((uint64_t{1} << drop) - 1), half = uint64_t{1} << (drop - 1);
    if (to_nearest && (rest > half || (rest == half && (kept & 1) != 0))) ++kept;
  }
  // The hidden bit of a normal number adds one to the exponent's field.
  return kept + (static_cast<uint64_t>(exponent - least) << format.fraction_bits);
}

}  // namespace

uint32_t fraction_bits(Type type) { return format_of(type).fraction_bits; }

MatrixNumber matrix_number(Type type, uint32_t bits) {
  const Format format = format_of(type);
  bits >>= format.unused;
  const uint32_t fraction = bits & ((1u << format.fraction_bits) - 1);
  const uint32_t field = bits >> format.fraction_bits & ((1u << format.exponent_bits) - 1);
  const bool negative = (bits >> (format.fraction_bits + format.exponent_bits) & 1) != 0;
  const uint32_t highest = (1u << format.exponent_bits) - 1;
  MatrixNumber out;
  auto with_sign = [&](uint32_t size) { return negative ? -static_cast<int32_t>(size) : static_cast<int32_t>(size); };
  if (field == highest && format.has_infinity) {
    out.kind = fraction == 0 ? MatrixNumber::Kind::Infinite : MatrixNumber::Kind::NotANumber;
    out.digits = with_sign(1);
  } else if (field == highest && fraction + 1 == 1u << format.fraction_bits) {
    out.kind = MatrixNumber::Kind::NotANumber;
  } else {
    out.digits = with_sign(field == 0 ? fraction : fraction | 1u << format.fraction_bits);
    out.negative_zero = negative && out.digits == 0;
    out.exponent = static_cast<int16_t>(static_cast<int32_t>(std::max(field, 1u)) - format.bias());
  }
  return out;
}

ExactSum block_sum(std::span<const MatrixNumber> a, std::span<const MatrixNumber> b, uint32_t fraction,
                   MatrixNumber accumulator, uint32_t accumulator_fraction, int32_t kept_bits) {
  using Kind = MatrixNumber::Kind;
  int32_t greatest = accumulator.exponent;
  uint32_t special = static_cast<uint32_t>(accumulator.kind);
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].digits != 0 && b[i].digits != 0) greatest = std::max(greatest, a[i].exponent + b[i].exponent);
    special |= static_cast<uint32_t>(a[i].kind) | static_cast<uint32_t>(b[i].kind);
  }
  ExactSum out;
  if (special != 0) [[unlikely]] {
    bool positive = false, negative = false, none = accumulator.kind == Kind::NotANumber;
    auto add = [&](bool sign) { (sign ? negative : positive) = true; };
    if (accumulator.kind == Kind::Infinite) add(accumulator.digits < 0);
    for (size_t i = 0; i < a.size(); ++i) {
      if (a[i].kind == Kind::NotANumber || b[i].kind == Kind::NotANumber) none = true;
      else if (a[i].kind == Kind::Finite && b[i].kind == Kind::Finite) continue;
      else if (a[i].digits == 0 || b[i].digits == 0) none = true;
      else add((a[i].digits < 0) != (b[i].digits < 0));
    }
    if (none || positive || negative) {
      out.kind = none || (positive && negative) ? Kind::NotANumber : Kind::Infinite;
      out.negative = negative;
      return out;
    }
  }
  out.unit = greatest - kept_bits;
  auto at_scale = [&](int64_t size, int32_t exponent, uint32_t of_fraction) {
    const int32_t shift = kept_bits - static_cast<int32_t>(of_fraction) - (greatest - exponent);
    if (shift >= 0) return size << shift;
    if (shift < -62) return int64_t{0};
    return size < 0 ? -(-size >> -shift) : size >> -shift;
  };
  out.sum = at_scale(accumulator.digits, accumulator.exponent, accumulator_fraction);
  for (size_t i = 0; i < a.size(); ++i)
    out.sum += at_scale(int64_t{a[i].digits} * b[i].digits, a[i].exponent + b[i].exponent, fraction);
  out.negative = out.sum < 0;
  return out;
}

ExactSum exactly(MatrixNumber number, Type type) {
  return {number.digits, number.exponent - static_cast<int32_t>(fraction_bits(type)), number.kind,
          number.digits < 0 || number.negative_zero};
}

float value_of(MatrixNumber number, Type type) {
  if (number.kind == MatrixNumber::Kind::NotANumber) return std::numeric_limits<float>::quiet_NaN();
  if (number.kind == MatrixNumber::Kind::Infinite)
    return std::copysign(std::numeric_limits<float>::infinity(), static_cast<float>(number.digits));
  if (number.negative_zero) return -0.0f;
  const auto exponent = static_cast<uint64_t>(1023 + number.exponent) - fraction_bits(type);
  return static_cast<float>(number.digits * std::bit_cast<double>(exponent << 52));
}

uint32_t f32_of(const ExactSum& sum) {
  const uint32_t sign = sum.negative ? 0x80000000u : 0;
  if (sum.kind == MatrixNumber::Kind::NotANumber) return kNanF32;
  if (sum.kind == MatrixNumber::Kind::Infinite) return sign | 0x7f800000;
  return sign | static_cast<uint32_t>(std::min<uint64_t>(rounded(sum, {8, 23}, false), 0x7f800000));
}

uint32_t f16_of(const ExactSum& sum) {
  const uint32_t sign = sum.negative ? 0x8000u : 0;
  if (sum.kind == MatrixNumber::Kind::NotANumber) return kNanF16;
  if (sum.kind == MatrixNumber::Kind::Infinite) return sign | 0x7c00;
  return sign | static_cast<uint32_t>(std::min<uint64_t>(rounded(sum, {5, 10}, true), 0x7c00));
}

}  // namespace warptime::sim
