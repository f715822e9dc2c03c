// The product on the CPU, for any number type: rows of C = A B, each element summed in the order k = 0, 1, ... as the
// kernels do. Blocked so that compilers keep a panel of C in registers and cache; the blocking does not touch the
// order.
#pragma once

#include <algorithm>
#include <cstddef>

#include "cpu/counted.h"

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

/// What the CPU baseline times: the same sums in the same order, with b in tiles that stay in the first cache, copied
/// so that a column of one lies in a row (Lam, Rothberg, Wolf 1991, section 4).
template <class Array>
class TiledProduct {
  using T = typename Array::value_type;

 public:
  static constexpr size_t kTile = 64;

  /// Square matrices of n rows; `a` and `c` may have fewer.
  TiledProduct(const Array& a, const Array& b, Array& c, size_t n) : a_(a), b_(b), c_(c), n_(n), tile_(kTile * kTile) {}

  /// The tile of `b` at (k, j).
  void copy_tile(size_t k, size_t j) {
    for (size_t q : cpu::steps<T>(std::min(kTile, n_ - j)))
      for (size_t p : cpu::steps<T>(std::min(kTile, n_ - k))) tile_[q * kTile + p] = b_[(k + p) * n_ + j + q];
  }
  /// Adds its products with `rows` rows of `a` to `c`.
  void add_products(size_t k, size_t j, size_t rows) {
    for (size_t i : cpu::steps<T>(rows))
      for (size_t q : cpu::steps<T>(std::min(kTile, n_ - j))) {
        T sum = c_[i * n_ + j + q];
        for (size_t p : cpu::steps<T>(std::min(kTile, n_ - k))) sum += a_[i * n_ + k + p] * tile_[q * kTile + p];
        c_[i * n_ + j + q] = sum;
      }
  }
  void run() {
    for (size_t j = 0; j < n_; j += kTile)
      for (size_t k = 0; k < n_; k += kTile) {
        copy_tile(k, j);
        add_products(k, j, n_);
      }
  }

 private:
  const Array &a_, &b_;
  Array& c_;
  size_t n_;
  cpu::array_of<T> tile_;
};

}  // namespace warptime::workloads
