// A product of two Gaussians with s or p functions is a sum of derivatives of one Gaussian by its centre; the integral
// of two such is a sum of derivatives of F_0 by the distance of the centres.
#include "closed_form.h"

#include <array>
#include <cmath>
#include <numbers>

namespace warptime::workloads {
namespace {

/// A primitive pair as a sum of derivatives: of order (t, u, v), t, u, v at most 2.
struct HermiteSum {
  double exponent, weight;
  std::array<double, 3> centre;
  std::array<std::array<double, 3>, 3> factors;  // by component and order
};

HermiteSum hermite_sum(const FunctionPairs& pairs, size_t pair, size_t primitive) {
  const float* head = &pairs.words[pair * kPairWords];
  const float* words = &pairs.words[primitive_word(pair * kPairWords, primitive)];
  PairKind kind = pairs.kinds[pair];
  HermiteSum out{words[0], words[4], {words[1], words[2], words[3]}, {}};
  double half = 0.5 / out.exponent;
  for (size_t c = 0; c < 3; ++c) {
    double first = out.centre[c] - head[1], second = out.centre[c] - head[2];
    bool has_first = kind.first == c + 1, has_second = kind.second == c + 1;
    if (has_first && has_second) out.factors[c] = {first * second + half, (first + second) * half, half * half};
    else if (has_first || has_second) out.factors[c] = {has_first ? first : second, half, 0};
    else out.factors[c] = {1, 0, 0};
  }
  return out;
}

/// Derivatives of F_0(a d^2) by d, in the paper R with n = 0, by its recursion over n.
class Derivatives {
 public:
  Derivatives(size_t last, double a, const std::array<double, 3>& d) : d_(d) {
    double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], power = 1;
    for (double f : boys_functions(last, a * square)) {
      start_.push_back(power * f);
      power *= -2 * a;
    }
  }
  double of(std::array<size_t, 3> order, size_t n = 0) const {
    for (size_t c = 0; c < 3; ++c) {
      if (order[c] == 0) continue;
      size_t before = --order[c];
      double out = d_[c] * of(order, n + 1);
      if (before == 0) return out;
      --order[c];
      return out + static_cast<double>(before) * of(order, n + 1);
    }
    return start_[n];
  }

 private:
  std::array<double, 3> d_;
  std::vector<double> start_;
};

/// Calls f(order, factor) for every derivative that is there.
template <class F>
void each_order(const HermiteSum& sum, F f) {
  for (size_t order = 0; order < 27; ++order) {
    std::array<size_t, 3> by = {order / 9, order / 3 % 3, order % 3};
    double factor = sum.factors[0][by[0]] * sum.factors[1][by[1]] * sum.factors[2][by[2]];
    if (factor != 0) f(by, factor);
  }
}

}  // namespace

std::vector<double> boys_functions(size_t last, double x) {
  std::vector<double> out(last + 1);
  double decay = std::exp(-x);
  if (x > 20) {  // upwards, which loses nothing there
    out[0] = std::sqrt(std::numbers::pi / x) / 2 * std::erf(std::sqrt(x));
    for (size_t m = 0; m < last; ++m) out[m + 1] = ((2.0 * static_cast<double>(m) + 1) * out[m] - decay) / (2 * x);
    return out;
  }
  // The series of the highest, all terms positive, and from it downwards.
  double term = 1 / (2.0 * static_cast<double>(last) + 1), sum = term;
  for (size_t k = 1; term > 1e-17 * sum; ++k) sum += term *= 2 * x / (2.0 * static_cast<double>(last + k) + 1);
  out[last] = decay * sum;
  for (size_t m = last; m > 0; --m) out[m - 1] = (2 * x * out[m] + decay) / (2.0 * static_cast<double>(m) - 1);
  return out;
}

double closed_form_integral(const FunctionPairs& pairs, size_t ij, size_t kl) {
  size_t order = pairs.kinds[ij].p_functions() + pairs.kinds[kl].p_functions();
  double total = 0;
  for (size_t k = 0; k < kPairPrimitives; ++k) {
    HermiteSum ket = hermite_sum(pairs, kl, k);
    for (size_t b = 0; b < kPairPrimitives; ++b) {
      HermiteSum bra = hermite_sum(pairs, ij, b);
      double p = bra.exponent, q = ket.exponent;
      Derivatives derivatives(
          order, p * q / (p + q),
          {bra.centre[0] - ket.centre[0], bra.centre[1] - ket.centre[1], bra.centre[2] - ket.centre[2]});
      double sum = 0;
      each_order(bra, [&](std::array<size_t, 3> of_bra, double bra_factor) {
        each_order(ket, [&](std::array<size_t, 3> of, double ket_factor) {
          double sign = (of[0] + of[1] + of[2]) % 2 == 0 ? 1 : -1;
          for (size_t c = 0; c < 3; ++c) of[c] += of_bra[c];
          sum += sign * bra_factor * ket_factor * derivatives.of(of);
        });
      });
      total += bra.weight * ket.weight / std::sqrt(p + q) * sum;
    }
  }
  return total;
}

}  // namespace warptime::workloads
