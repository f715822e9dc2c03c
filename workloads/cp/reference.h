// The potential on the CPU, for any number type: a row of grid points, the part that a row's points share first.
#pragma once

#include <cstddef>

#include "cpu/counted.h"

namespace warptime::workloads {

/// Atoms: x, y, square of the distance from the plane, charge. Points: (first_x + i * spacing, y).
template <class Array>
void potential_row(const Array& atom_x, const Array& atom_y, const Array& dz2, const Array& charge, float first_x,
                   float y, float spacing, Array& row) {
  using T = typename Array::value_type;
  using cpu::rsqrt;
  cpu::array_of<T> dy2_dz2(atom_x.size());
  const T row_y = y;
  for (size_t n : cpu::steps<T>(atom_x.size())) {
    T dy = row_y - atom_y[n];
    dy2_dz2[n] = dy * dy + dz2[n];
  }
  for (size_t i : cpu::steps<T>(row.size())) {
    const T x = first_x + spacing * static_cast<float>(i);
    T sum = 0;
    for (size_t n : cpu::steps<T>(atom_x.size())) {
      T dx = x - atom_x[n];
      sum += charge[n] * rsqrt(dx * dx + dy2_dz2[n]);
    }
    row[i] = sum;
  }
}

}  // namespace warptime::workloads
