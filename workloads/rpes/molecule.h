// A molecule of seeded atoms with a minimal basis, and the pairs of its functions as the kernels read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warptime::workloads {

/// Components of a pair's two functions: 0 of an s function, 1 to 3 of a p function along x, y, z. Where only one is a
/// p function, it is the second.
struct PairKind {
  uint8_t first = 0, second = 0;
  bool padding = false;

  size_t p_functions() const { return size_t{first > 0} + size_t{second > 0}; }
  int32_t code() const { return padding ? -1 : first | second << 2; }
};

constexpr size_t kPairPrimitives = 9;
constexpr size_t kPairHead = 3, kPrimitiveWords = 5;
constexpr size_t kPairWords = kPairHead + kPairPrimitives * kPrimitiveWords;
constexpr size_t primitive_word(size_t pair_word, size_t primitive) {
  return pair_word + kPairHead + primitive * kPrimitiveWords;
}

/// Pairs by kind, ss first and two p functions last, each kind padded to whole warps.
struct FunctionPairs {
  size_t functions = 0, real = 0;  // without padding
  std::vector<PairKind> kinds;
  /// kPairWords of each pair. The head: the bits of its code (the CPU does not read them), and where the centres of its
  /// functions lie along their components. A primitive is the product of two Gaussians: exponent p, centre (x, y, z)
  /// and weight, which is sqrt(2) pi^(5/4) / p times what the product has of contraction, normalization and distance.
  std::vector<float> words;
};

FunctionPairs make_pairs(uint32_t atoms);

}  // namespace warptime::workloads
