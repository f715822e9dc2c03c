// Electron repulsion integrals by Rys quadrature on the CPU, for any number type, in the kernels' order.
#pragma once

#include <array>
#include <cstdint>

#include "cpu/counted.h"
#include "molecule.h"
#include "rys.h"

namespace warptime::workloads {

/// An index that depends on data and a displacement that does not: together they are one address.
inline int32_t displaced(int32_t index, size_t by) { return index + static_cast<int32_t>(by); }
inline cpu::Counted<int32_t> displaced(cpu::Counted<int32_t> index, size_t by) {
  return {displaced(index.value(), by), index.ready()};
}

/// A RysTable.
template <class Array>
struct RysArrays {
  Array coefficients, asymptotes, middles;

  explicit RysArrays(const RysTable& table)
      : coefficients(of(table.coefficients)), asymptotes(of(table.asymptotes)), middles(of(table.middles)) {}

 private:
  static Array of(const std::vector<float>& values) {
    if constexpr (cpu::CountedOperand<typename Array::value_type>) return Array(values);
    else return Array(values.begin(), values.end());
  }
};

/// u_1, w_1, u_2, w_2, ... of a number of points.
template <class T, class Array>
std::array<T, 2 * kRysPoints> rys_points(const RysArrays<Array>& table, size_t count, const T& x) {
  using cpu::rsqrt;
  std::array<T, 2 * kRysPoints> out;
  size_t first = rys_row(count);
  T root = rsqrt(T(x + kRysSmallest));
  cpu::like<T, int32_t> range(T(x * 1.41421356f * root));
  if (range < static_cast<int32_t>(kRysRanges)) {
    T y = x - table.middles[range];
    for (size_t row = 0; row < 2 * count; ++row) {
      T sum = table.coefficients[displaced(range, rys_coefficient(first + row, 0))];
      for (size_t i = 1; i < kRysCoefficients; ++i)
        sum = sum * y + table.coefficients[displaced(range, rys_coefficient(first + row, i))];
      out[row] = sum;
    }
  } else {
    T square = root * root;
    for (size_t row = 0; row < 2 * count; row += 2) {
      out[row] = square * table.asymptotes[first + row];
      out[row + 1] = root * table.asymptotes[first + row + 1];
    }
  }
  return out;
}

/// What a root gives the factors (x - A), ... of the p functions i, j, k and l of an integral: their means, and the
/// covariances of two of i and j, two of k and l, and one of each, where both have the same component.
template <class T>
struct RysMoments {
  T mean_i, mean_j, mean_k, mean_l, bra, ket, cross;
};

/// The product of the two-dimensional integrals Ix, Iy and Iz: their recursions, a p function at a time.
template <class T>
T rys_product(PairKind ij, PairKind kl, const RysMoments<T>& of) {
  T product = 1;
  if (ij.second) product = of.mean_j;
  if (ij.first) {
    product = product * of.mean_i;
    if (ij.first == ij.second) product = product + of.bra;
  }
  if (!kl.second) return product;
  T with_l = product * of.mean_l;
  if (ij.second == kl.second) with_l = with_l + (ij.first ? T(of.cross * of.mean_i) : of.cross);
  if (ij.first == kl.second) with_l = with_l + of.cross * of.mean_j;
  if (!kl.first) return with_l;
  T with_k = with_l * of.mean_k;
  if (kl.first == kl.second) with_k = with_k + of.ket * product;
  if (ij.first == kl.first) {
    T other = of.mean_j * of.mean_l;
    if (ij.second == kl.second) other = other + of.cross;
    with_k = with_k + of.cross * other;
  }
  if (ij.second == kl.first) {
    T other = of.mean_i * of.mean_l;
    if (ij.first == kl.second) other = other + of.cross;
    with_k = with_k + of.cross * other;
  }
  return with_k;
}

/// (ij|kl); `pairs` as in molecule.h. With `Magnitude` all differences become sums, and every term its absolute value:
/// roundings are held against that.
template <bool Magnitude, class Array>
typename Array::value_type rys_integral(const Array& pairs, const RysArrays<Array>& table, size_t ij, PairKind ij_kind,
                                        size_t kl, PairKind kl_kind) {
  using T = typename Array::value_type;
  using cpu::rsqrt;
  using std::abs;
  auto less = [](const T& a, const T& b) { return Magnitude ? T(abs(a) + abs(b)) : T(a - b); };
  auto plus = [](const T& a, const T& b) { return Magnitude ? T(abs(a) + abs(b)) : T(a + b); };
  auto plain = [](const T& a) { return Magnitude ? T(abs(a)) : a; };
  size_t bra = ij * kPairWords, ket = kl * kPairWords, count = (ij_kind.p_functions() + kl_kind.p_functions()) / 2 + 1;
  T centre_i = pairs[bra + 1], centre_j = pairs[bra + 2], centre_k = pairs[ket + 1], centre_l = pairs[ket + 2];
  // Needed only with two p functions in a pair.
  std::array<T, kPairPrimitives> half_p;
  if (ij_kind.first)
    for (size_t b = 0; b < kPairPrimitives; ++b) half_p[b] = T(0.5f) / pairs[primitive_word(bra, b)];
  T total = 0;
  for (size_t k : cpu::steps<T>(kPairPrimitives)) {
    size_t at = primitive_word(ket, k);
    T q = pairs[at], weight = pairs[at + 4], half_q = kl_kind.first ? T(T(0.5f) / q) : T(0);
    std::array<T, 4> centre_q = {T(0), T(pairs[at + 1]), T(pairs[at + 2]), T(pairs[at + 3])};
    T sum = 0;
    for (size_t b : cpu::steps<T>(kPairPrimitives)) {
      size_t from = primitive_word(bra, b);
      T p = pairs[from], p_and_q = p + q, root = rsqrt(p_and_q), inverse = root * root;
      std::array<T, 4> d, centre_p;
      T square = 0;
      for (size_t c = 1; c <= 3; ++c) {
        centre_p[c] = pairs[from + c];
        d[c] = centre_p[c] - centre_q[c];
        square = c == 1 ? T(d[c] * d[c]) : T(square + d[c] * d[c]);
      }
      auto points = rys_points<T>(table, count, T(p * q * inverse * square));
      T value = 0;
      for (size_t r = 0; r < count; ++r) {
        RysMoments<T> of;
        if (ij_kind.second || kl_kind.second) {
          T s = points[2 * r] * inverse, sq = s * q, sp = s * p;
          of.cross = s * 0.5f;
          if (ij_kind.second) of.mean_j = less(less(centre_p[ij_kind.second], centre_j), sq * d[ij_kind.second]);
          if (ij_kind.first) {
            of.mean_i = less(less(centre_p[ij_kind.first], centre_i), sq * d[ij_kind.first]);
            of.bra = less(T(1), sq) * half_p[b];
          }
          if (kl_kind.second) of.mean_l = plus(less(centre_q[kl_kind.second], centre_l), sp * d[kl_kind.second]);
          if (kl_kind.first) {
            of.mean_k = plus(less(centre_q[kl_kind.first], centre_k), sp * d[kl_kind.first]);
            of.ket = less(T(1), sp) * half_q;
          }
        }
        value += points[2 * r + 1] * rys_product(ij_kind, kl_kind, of);
      }
      sum += plain(pairs[from + 4]) * root * value;
    }
    total += plain(weight) * sum;
  }
  return total;
}

}  // namespace warptime::workloads
