// The product on the CPU, for any number type: rows of C = A B, each element summed in the order k = 0, 1, ... as the
// kernels do. Blocked so that compilers keep a panel of C in registers and cache; the blocking does not touch the
// order.
#pragma once

#include <algorithm>
#include <cstddef>

namespace warptime::workloads {

/// The first `rows` rows and `columns` columns of C: `pitch` is the row length of all three matrices, `depth` the inner
/// dimension.
template <class T>
void multiply_rows(const T* a, const T* b, T* c, size_t rows, size_t columns, size_t depth, size_t pitch) {
  constexpr size_t kRows = 4, kColumns = 64;
  for (size_t j = 0; j < columns; j += kColumns) {
    size_t width = std::min(kColumns, columns - j);
    for (size_t i = 0; i < rows; i += kRows) {
      size_t height = std::min(kRows, rows - i);
      T sum[kRows][kColumns] = {};
      for (size_t k = 0; k < depth; ++k)
        for (size_t r = 0; r < height; ++r) {
          const T factor = a[(i + r) * pitch + k];
          const T* row = b + k * pitch + j;
          if (width == kColumns)
            for (size_t q = 0; q < kColumns; ++q) sum[r][q] += factor * row[q];
          else
            for (size_t q = 0; q < width; ++q) sum[r][q] += factor * row[q];
        }
      for (size_t r = 0; r < height; ++r) std::copy_n(sum[r], width, c + (i + r) * pitch + j);
    }
  }
}

}  // namespace warptime::workloads
