// Rys quadrature from its definition: the discretized procedure of Stieltjes makes the polynomials that are orthogonal
// under exp(-x t^2) on [0, 1], in t^2, and Newton's method their roots (Gautschi 2004, 2.2.4). A Gauss-Legendre rule
// stands for the integrals.
#include "rys.h"

#include <cmath>
#include <numbers>

namespace warptime::workloads {
namespace {

/// A measure as points and weights.
struct Measure {
  std::vector<double> points, weights;
};

/// Gauss-Legendre on [0, 1], in t^2.
const Measure& legendre() {
  static const Measure made = [] {
    constexpr int kOrder = 96;
    Measure out;
    for (int i = 1; i <= kOrder; ++i) {
      double z = std::cos(std::numbers::pi * (i - 0.25) / (kOrder + 0.5)), slope = 0;
      for (int step = 0; step < 20; ++step) {
        double before = 0, value = 1;
        for (int k = 1; k <= kOrder; ++k) {
          double next = ((2 * k - 1) * z * value - (k - 1) * before) / k;
          before = value;
          value = next;
        }
        slope = kOrder * (z * value - before) / (z * z - 1);
        z -= value / slope;
      }
      out.points.push_back((z + 1) * (z + 1) / 4);
      out.weights.push_back(1 / ((1 - z * z) * slope * slope));
    }
    return out;
  }();
  return made;
}

/// Polynomials p_0 ... p_n of highest coefficient 1: p_k+1 = (u - a_k) p_k - b_k p_k-1, and their squared norms.
struct Recursion {
  std::vector<double> a, b, norms;
};

Recursion stieltjes(const Measure& measure, size_t n) {
  Recursion out;
  std::vector<double> before(measure.points.size(), 0), value(measure.points.size(), 1);
  for (size_t k = 0; k < n; ++k) {
    double norm = 0, moment = 0;
    for (size_t i = 0; i < value.size(); ++i) {
      double square = measure.weights[i] * value[i] * value[i];
      norm += square;
      moment += square * measure.points[i];
    }
    out.a.push_back(moment / norm);
    out.b.push_back(k == 0 ? 0 : norm / out.norms.back());
    out.norms.push_back(norm);
    for (size_t i = 0; i < value.size(); ++i) {
      double next = (measure.points[i] - out.a[k]) * value[i] - out.b[k] * before[i];
      before[i] = value[i];
      value[i] = next;
    }
  }
  return out;
}

/// Roots of the last polynomial, ascending: each by Newton's method from 0, with those already found divided out.
std::vector<double> rule_of(const Measure& measure, size_t n) {
  Recursion recursion = stieltjes(measure, n);
  std::vector<double> roots, out;
  for (size_t r = 0; r < n; ++r) {
    double u = 0, weight = 0;
    for (int step = 0; step < 100; ++step) {
      double before = 0, value = 1, slope_before = 0, slope = 0, found = 0;
      weight = 0;
      for (size_t k = 0; k < n; ++k) {
        weight += value * value / recursion.norms[k];
        double next = (u - recursion.a[k]) * value - recursion.b[k] * before;
        double next_slope = value + (u - recursion.a[k]) * slope - recursion.b[k] * slope_before;
        before = value, value = next;
        slope_before = slope, slope = next_slope;
      }
      for (double other : roots) found += 1 / (u - other);
      double move = value / (slope - value * found);
      u -= move;
      if (std::abs(move) <= 1e-16 * u) break;
    }
    roots.push_back(u);
    out.push_back(u);
    out.push_back(1 / weight);
  }
  return out;
}

/// The polynomial that agrees with `values` at the Chebyshev nodes of [-half, half], in powers of y, the highest first.
std::vector<double> through_chebyshev_nodes(const std::vector<double>& values, double half) {
  size_t count = values.size();
  std::vector<double> out(count), t_before(count), t(count);
  t[0] = 1;  // T_0, lowest power first
  for (size_t k = 0; k < count; ++k) {
    double sum = 0;
    for (size_t j = 0; j < count; ++j)
      sum += values[j] * std::cos(std::numbers::pi * static_cast<double>(k) * (static_cast<double>(j) + 0.5) /
                                  static_cast<double>(count));
    double share = (k == 0 ? 1 : 2) * sum / static_cast<double>(count);
    for (size_t i = 0; i < count; ++i) out[count - 1 - i] += share * t[i];
    std::vector<double> next(count);
    for (size_t i = 0; i + 1 < count; ++i) next[i + 1] = (k == 0 ? 1 : 2) * t[i] / half;
    for (size_t i = 0; i < count; ++i) next[i] -= t_before[i];
    t_before = t, t = next;
  }
  return out;
}

}  // namespace

std::vector<double> rys_rule(size_t n, double x) {
  // Where exp(-x t^2) has decayed long before t = 1, only [0, limit] counts.
  double limit = x > 50 ? std::sqrt(50 / x) : 1;
  Measure measure = legendre();
  for (size_t i = 0; i < measure.points.size(); ++i) {
    measure.points[i] *= limit * limit;
    measure.weights[i] *= limit * std::exp(-x * measure.points[i]);
  }
  return rule_of(measure, n);
}

RysTable make_rys_table() {
  RysTable table;
  table.coefficients.resize(rys_coefficient(kRysRows, 0));
  for (size_t range = 0; range < kRysRanges; ++range) {
    table.middles.push_back(rys_middle(range));
    double middle = rys_middle(range), half = (rys_edge(range + 1) - rys_edge(range)) / 2;
    for (size_t n = 1; n <= kRysPoints; ++n) {
      std::vector<std::vector<double>> nodes(2 * n);
      for (size_t j = 0; j < kRysCoefficients; ++j) {
        double angle = std::numbers::pi * (static_cast<double>(j) + 0.5) / kRysCoefficients;
        std::vector<double> rule = rys_rule(n, middle + half * std::cos(angle));
        for (size_t row = 0; row < 2 * n; ++row) nodes[row].push_back(rule[row]);
      }
      for (size_t row = 0; row < 2 * n; ++row) {
        std::vector<double> polynomial = through_chebyshev_nodes(nodes[row], half);
        for (size_t i = 0; i < kRysCoefficients; ++i)
          table.coefficients[rys_coefficient(rys_row(n) + row, i) + range] = static_cast<float>(polynomial[i]);
      }
    }
  }
  constexpr double kFar = 1e4;
  for (size_t n = 1; n <= kRysPoints; ++n) {
    std::vector<double> rule = rys_rule(n, kFar);
    for (size_t r = 0; r < n; ++r) {
      table.asymptotes.push_back(static_cast<float>(rule[2 * r] * kFar));
      table.asymptotes.push_back(static_cast<float>(rule[2 * r + 1] * std::sqrt(kFar)));
    }
  }
  return table;
}

}  // namespace warptime::workloads
