// Pairs by distance on the CPU, for any number type: every pair's cosine, searched among the bins' edges.
#pragma once

#include "cpu/counted.h"

namespace warptime::workloads {

/// How many of the falling `edges` the cosine lies below: its bin.
template <class T, class Array>
cpu::like<T, int32_t> bin_of_angle(const T& cosine, const Array& edges) {
  cpu::like<T, int32_t> low = 0, high = static_cast<int32_t>(edges.size());
  while (low < high) {
    cpu::like<T, int32_t> middle = (low + high) >> 1;
    if (cosine < edges[middle]) low = middle + 1;
    else high = middle;
  }
  return low;
}

/// Counts the pairs of a point of `a`, from `first` to before `last`, and one of `b` by bin; (x, y, z) each. Where both
/// are the `same` set, each pair once.
template <class Array, class Counts>
void count_angles(const Array& a, size_t first, size_t last, const Array& b, bool same, const Array& edges,
                  Counts& counts) {
  using T = typename Array::value_type;
  for (size_t i : cpu::steps<T>(first, last)) {
    T x = a[3 * i], y = a[3 * i + 1], z = a[3 * i + 2];
    for (size_t j : cpu::steps<T>(same ? i + 1 : 0, b.size() / 3)) {
      T cosine = x * b[3 * j] + y * b[3 * j + 1] + z * b[3 * j + 2];
      ++counts[bin_of_angle(cosine, edges)];
    }
  }
}

}  // namespace warptime::workloads
