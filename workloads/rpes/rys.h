// Roots and weights of the Rys polynomials, and the table from which kernels and reference take them.
//
// For n points these are u_r and w_r with sum w_r f(u_r) = integral over t from 0 to 1 of exp(-x t^2) f(t^2) for every
// polynomial f of a degree below 2 n (Dupuis, Rys and King 1976). As King and Dupuis (1976) do, x is divided into
// ranges, in each of which every root and weight is a polynomial of x; beyond the last, u_r = h_r^2 / x and
// w_r = g_r / sqrt(x), where h_r and g_r are the positive points of the Gauss-Hermite rule of order 2 n, and its
// weights.
#pragma once

#include <cstddef>
#include <vector>

namespace warptime::workloads {

constexpr size_t kRysPoints = 3;                            // at most
constexpr size_t kRysRanges = 8, kRysCoefficients = 8;      // of x; of each polynomial
constexpr size_t kRysRows = kRysPoints * (kRysPoints + 1);  // roots and weights of 1, 2 and 3 points
constexpr size_t rys_row(size_t n) { return n * (n - 1); }  // of n points the first

/// Range r begins at r^2 / 2, so that it is computed and not searched.
constexpr float rys_edge(size_t range) { return static_cast<float>(range * range) / 2; }
constexpr float rys_middle(size_t range) { return (rys_edge(range) + rys_edge(range + 1)) / 2; }
constexpr float kRysSmallest = 1e-20f;  // added to x, which may be 0, under a root

/// u_1, w_1, u_2, w_2, ... in double precision, for any x that is not negative.
std::vector<double> rys_rule(size_t n, double x);

/// Where the coefficient of a row's power number `i` is, in range 0; the other ranges follow.
constexpr size_t rys_coefficient(size_t row, size_t i) { return (row * kRysCoefficients + i) * kRysRanges; }

/// The coefficients in the layout that the kernels read.
struct RysTable {
  /// By row, power and range; rows hold root and weight in turn. Polynomials of y = x - (middle of the range), the
  /// highest power first.
  std::vector<float> coefficients;
  std::vector<float> asymptotes;  // by row: h_r^2, g_r
  std::vector<float> middles;     // by range
};
RysTable make_rys_table();

}  // namespace warptime::workloads
