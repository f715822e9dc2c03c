// saxpy on the CPU, for any number type.
#pragma once

#include <cstddef>

#include "cpu/counted.h"

namespace warptime::workloads {

template <class Array>
void saxpy(typename Array::value_type alpha, const Array& x, Array& y) {
  using T = typename Array::value_type;
  for (size_t i : cpu::steps<T>(y.size())) y[i] = alpha * x[i] + y[i];
}

}  // namespace warptime::workloads
