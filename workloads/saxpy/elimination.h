// Gaussian elimination without a search for pivots on the CPU, for any number type, in the kernels' order: with float
// the results are the same bits.
#pragma once

#include <cstddef>

#include "cpu/counted.h"
#include "host/workload/multiply_add.h"

namespace warptime::workloads {

/// The first `steps` steps on a matrix of rows x columns; columns are `pitch` apart.
template <class Matrix>
void eliminate(Matrix& a, size_t rows, size_t columns, size_t pitch, size_t steps) {
  using T = typename Matrix::value_type;
  for (size_t k = 0; k < steps; ++k) {
    const size_t x = k * pitch;
    const T factor = T(-1.0f) / a[x + k];
    for (size_t row : cpu::steps<T>(k + 1, rows)) a[x + row] = a[x + row] * factor;
    for (size_t column : cpu::steps<T>(k + 1, columns)) {
      const size_t y = column * pitch;
      const T alpha = a[y + k];
      for (size_t row : cpu::steps<T>(k + 1, rows))
        a[y + row] = host::multiply_add(alpha, T(a[x + row]), T(a[y + row]));
    }
  }
}

}  // namespace warptime::workloads
