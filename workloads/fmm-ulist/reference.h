// The potentials of a leaf's targets on the CPU, for any number type, in the order of the kernels: leaf after leaf of
// the U-list, and point after point (Kim et al. 2012, Algorithm 1).
#pragma once

#include <cmath>

#include "cpu/counted.h"
#include "octree.h"

namespace warptime::workloads {

/// Targets are (x, y, z, potential) each, sources (x, y, z, density).
template <class Array>
void add_potentials(const Octree& tree, size_t leaf, const Array& sources, Array& targets) {
  using T = typename Array::value_type;
  using std::sqrt;
  for (auto t = static_cast<size_t>(tree.targets_from[leaf]); t < static_cast<size_t>(tree.targets_from[leaf + 1]);
       ++t) {
    T x = targets[4 * t], y = targets[4 * t + 1], z = targets[4 * t + 2], potential = targets[4 * t + 3];
    for (auto u = static_cast<size_t>(tree.u_list_from[leaf]); u < static_cast<size_t>(tree.u_list_from[leaf + 1]);
         ++u) {
      auto node = static_cast<size_t>(tree.u_list[u]);
      auto from = static_cast<size_t>(tree.sources_from[node]), to = static_cast<size_t>(tree.sources_from[node + 1]);
      for (size_t s : cpu::steps<T>(from, to)) {
        T dx = x - sources[4 * s], dy = y - sources[4 * s + 1], dz = z - sources[4 * s + 2];
        potential += sources[4 * s + 3] / sqrt(dx * dx + dy * dy + dz * dz);
      }
    }
    targets[4 * t + 3] = potential;
  }
}

/// The loop without loads: the source's coordinates are the potential so far.
template <class T>
T compute_only(T x, T y, T z, T potential, T density, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    T dx = x - potential, dy = y - potential, dz = z - potential;
    potential += density / std::sqrt(dx * dx + dy * dy + dz * dz);
  }
  return potential;
}

}  // namespace warptime::workloads
