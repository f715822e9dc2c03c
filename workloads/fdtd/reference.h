// The two half-steps on the CPU, for any number type, in the kernels' order: with float the results are the same bits.
// Fields have a row of zeros before their first and behind their last row; a medium has two coefficients a cell, what
// is kept of the field and the weight of the other field's curl.
#pragma once

#include <cstddef>

#include "cpu/counted.h"
#include "host/workload/multiply_add.h"

namespace warptime::workloads {

/// Half a step of Hx and Hy. Fields are arrays of (rows + 2) x width, `magnetic` of rows x width x 2.
template <class Field, class Medium>
void update_h(const Field& ez, Field& hx, Field& hy, const Medium& magnetic, size_t rows, size_t width) {
  using T = typename Field::value_type;
  for (size_t cell : cpu::steps<T>(rows * width)) {
    size_t at = cell + width;
    T keep = magnetic[2 * cell], weight = magnetic[2 * cell + 1], own = ez[at];
    hx[at] = host::multiply_add(weight, T(own - ez[at + width]), T(keep * hx[at]));
    hy[at] = host::multiply_add(weight, T(ez[at + 1] - own), T(keep * hy[at]));
  }
}

/// Half a step of Ez.
template <class Field, class Medium>
void update_e(Field& ez, const Field& hx, const Field& hy, const Medium& electric, size_t rows, size_t width) {
  using T = typename Field::value_type;
  for (size_t cell : cpu::steps<T>(rows * width)) {
    size_t at = cell + width;
    T keep = electric[2 * cell], weight = electric[2 * cell + 1];
    T curl = (hy[at] - hy[at - 1]) - (hx[at] - hx[at - width]);
    ez[at] = host::multiply_add(weight, curl, T(keep * ez[at]));
  }
}

}  // namespace warptime::workloads
