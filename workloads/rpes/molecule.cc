// The basis is STO-3G (Hehre, Stewart and Pople 1969): three Gaussians for each Slater function, scaled by its
// exponent.
#include "molecule.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>

#include "host/workload/random.h"

namespace warptime::workloads {
namespace {

constexpr size_t kGaussians = 3, kWarp = 32;
using Three = std::array<double, kGaussians>;

// Least squares expansions of Slater functions of exponent 1: 1s, and 2s and 2p with exponents in common.
constexpr Three kExponents1 = {2.227660584, 0.405771156, 0.109818};
constexpr Three kExponents2 = {0.994203, 0.231031, 0.0751386};
constexpr Three k1s = {0.154329, 0.535328, 0.444635};
constexpr Three k2s = {-0.0999672, 0.399513, 0.700115};
constexpr Three k2p = {0.155916, 0.607684, 0.391957};

/// Slater exponents of the shells 1s and 2sp in molecules; 0: no such shell.
struct Element {
  double first, second;
};
constexpr Element kHydrogen = {1.24, 0};
constexpr std::array<Element, 3> kHeavy = {{{5.67, 1.72}, {6.67, 1.95}, {7.66, 2.25}}};  // C, N, O

struct Function {
  std::array<double, 3> centre;
  uint8_t component;
  Three exponents, weights;  // weights with the normalization of each Gaussian
};

class Molecule {
 public:
  /// Hydrogen and heavy atoms in turn. Distances are 2 bohr at least, in a cube that grows with the number of atoms.
  explicit Molecule(uint32_t atoms) {
    double side = 4 * std::cbrt(static_cast<double>(atoms));
    while (centres_.size() < atoms) {
      std::array<double, 3> centre;
      for (double& c : centre) c = (random_.uniform() - 0.5) * side;
      auto far = [&](const std::array<double, 3>& other) {
        double square = 0;
        for (size_t c = 0; c < 3; ++c) square += (centre[c] - other[c]) * (centre[c] - other[c]);
        return square >= 4;
      };
      if (!std::all_of(centres_.begin(), centres_.end(), far)) continue;
      Element element = centres_.size() % 2 == 0 ? kHydrogen : kHeavy[random_.below(kHeavy.size())];
      centres_.push_back(centre);
      add(0, element.first, kExponents1, k1s);
      if (element.second == 0) continue;
      add(0, element.second, kExponents2, k2s);
      for (uint8_t component : {1, 2, 3}) add(component, element.second, kExponents2, k2p);
    }
  }

  std::vector<Function> of_component(uint8_t component) const {
    std::vector<Function> out;
    for (const Function& f : functions_)
      if (f.component == component) out.push_back(f);
    return out;
  }
  size_t size() const { return functions_.size(); }

 private:
  void add(uint8_t component, double slater, const Three& exponents, const Three& weights) {
    Function f{centres_.back(), component, {}, {}};
    for (size_t g = 0; g < kGaussians; ++g) {
      double a = exponents[g] * slater * slater;
      f.exponents[g] = a;
      f.weights[g] = weights[g] * std::pow(2 * a / std::numbers::pi, 0.75) * (component ? 2 * std::sqrt(a) : 1);
    }
    functions_.push_back(f);
  }

  host::SplitMix64 random_{13};
  std::vector<std::array<double, 3>> centres_;
  std::vector<Function> functions_;
};

/// What the GPU would take as zero is zero.
float normal(double value) { return std::abs(value) < 0x1p-126 ? 0.0f : static_cast<float>(value); }

void add_pair(FunctionPairs& pairs, const Function& first, const Function& second) {
  PairKind kind{first.component, second.component};
  auto centre = [](const Function& f) { return f.component ? static_cast<float>(f.centre[f.component - 1]) : 0.0f; };
  pairs.kinds.push_back(kind);
  ++pairs.real;
  pairs.words.insert(pairs.words.end(), {std::bit_cast<float>(kind.code()), centre(first), centre(second)});
  double square = 0;
  for (size_t c = 0; c < 3; ++c) square += std::pow(first.centre[c] - second.centre[c], 2);
  for (size_t g = 0; g < kGaussians; ++g)
    for (size_t h = 0; h < kGaussians; ++h) {
      double a = first.exponents[g], b = second.exponents[h], p = a + b;
      pairs.words.push_back(static_cast<float>(p));
      for (size_t c = 0; c < 3; ++c)
        pairs.words.push_back(static_cast<float>((a * first.centre[c] + b * second.centre[c]) / p));
      pairs.words.push_back(normal(std::numbers::sqrt2 * std::pow(std::numbers::pi, 1.25) / p * first.weights[g] *
                                   second.weights[h] * std::exp(-a * b / p * square)));
    }
}

}  // namespace

FunctionPairs make_pairs(uint32_t atoms) {
  constexpr std::array<PairKind, 10> kKinds = {
      {{0, 0}, {0, 1}, {0, 2}, {0, 3}, {1, 1}, {2, 2}, {3, 3}, {1, 2}, {1, 3}, {2, 3}}};
  Molecule molecule(atoms);
  FunctionPairs pairs;
  pairs.functions = molecule.size();
  for (const PairKind& kind : kKinds) {
    std::vector<Function> first = molecule.of_component(kind.first), second = molecule.of_component(kind.second);
    for (size_t i = 0; i < first.size(); ++i)
      for (size_t j = 0; j < (kind.first == kind.second ? i + 1 : second.size()); ++j)
        add_pair(pairs, first[i], second[j]);
    PairKind padding{.padding = true};
    while (pairs.kinds.size() % kWarp != 0) {
      pairs.kinds.push_back(padding);
      pairs.words.push_back(std::bit_cast<float>(padding.code()));
      pairs.words.resize(pairs.kinds.size() * kPairWords);
    }
  }
  return pairs;
}

}  // namespace warptime::workloads
