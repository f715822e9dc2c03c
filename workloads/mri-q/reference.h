// Q on the CPU, for any number type: the sum over all samples at each voxel, in the samples' order as the kernels do.
#pragma once

#include <cmath>

#include "cpu/counted.h"

namespace warptime::workloads {

/// Adds the `samples` (x, y, z, |phi|^2 each) at the `voxels` (x, y, z each) to the `sums` (re, im each). Samples are
/// in cycles a field of view, voxels in fields of view.
template <class Array>
void add_q(const Array& samples, const Array& voxels, Array& sums) {
  using T = typename Array::value_type;
  using std::cos, std::sin;
  for (size_t v : cpu::steps<T>(voxels.size() / 3)) {
    T x = voxels[3 * v], y = voxels[3 * v + 1], z = voxels[3 * v + 2];
    T re = sums[2 * v], im = sums[2 * v + 1];
    for (size_t k : cpu::steps<T>(samples.size() / 4)) {
      T angle = T(6.283185307179586) * (samples[4 * k] * x + samples[4 * k + 1] * y + samples[4 * k + 2] * z);
      T weight = samples[4 * k + 3];
      re += weight * cos(angle);
      im += weight * sin(angle);
    }
    sums[2 * v] = re;
    sums[2 * v + 1] = im;
  }
}

}  // namespace warptime::workloads
