// x = A y on the CPU, for any number type, row after row in the kernel's order: with float the results are the same
// bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/counted.h"
#include "host/workload/multiply_add.h"

namespace warptime::workloads {

/// The element of an array of T's kind as a plain index.
inline size_t spmv_index(int32_t value) { return static_cast<size_t>(value); }
inline size_t spmv_index(const cpu::Counted<int32_t>& value) { return static_cast<size_t>(value.value()); }

/// The first x.size() rows of A, in compressed rows.
template <class Array, class Indices>
void multiply_rows(const Array& val, const Indices& indices, const Indices& row_ind, const Array& y, Array& x) {
  using T = typename Array::value_type;
  using Index = typename Indices::value_type;
  for (size_t i : cpu::steps<T>(x.size())) {
    Index from = row_ind[i], to = row_ind[i + 1];
    T t = 0;
    for (size_t j : cpu::steps<T>(spmv_index(from), spmv_index(to))) {
      Index column = indices[j];
      T yval = y[column];
      t = host::multiply_add(T(val[j]), yval, t);
    }
    x[i] = t;
  }
}

}  // namespace warptime::workloads
