// A time step on the CPU, for any number type: elements add their forces to their corners one after the other, which is
// the order in which the kernels' nodes gather them; with float the results are the same bits.
#pragma once

#include <array>
#include <cstddef>

#include "cpu/counted.h"
#include "host/workload/multiply_add.h"

namespace warptime::workloads {

/// A place `words` further: an offset in the address.
template <class I>
cpu::Counted<I> further(const cpu::Counted<I>& place, int words) {
  return {place.value() + static_cast<I>(words), place.ready()};
}
inline int32_t further(int32_t place, int words) { return place + words; }

/// Arrays of the kernels (fem.cu), but an element's words side by side: 4 corners, 9 gradients, 2 moduli.
template <class Places, class Field>
void add_element_forces(size_t elements, const Places& corners, const Field& gradients, const Field& moduli,
                        const Field& displacement, Field& forces) {
  using T = typename Field::value_type;
  using Place = typename Places::value_type;
  using host::multiply_add;
  for (size_t e : cpu::steps<T>(elements)) {
    std::array<Place, 4> corner;
    for (size_t k = 0; k < 4; ++k) corner[k] = corners[4 * e + k];
    std::array<T, 9> g, h;
    for (size_t word = 0; word < 9; ++word) g[word] = gradients[9 * e + word];
    for (size_t i = 0; i < 3; ++i) {
      T first = displacement[further(corner[0], static_cast<int>(i))];
      for (size_t k = 0; k < 3; ++k) {
        T d = displacement[further(corner[k + 1], static_cast<int>(i))] - first;
        for (size_t j = 0; j < 3; ++j)
          h[3 * i + j] = k == 0 ? T(d * g[j]) : multiply_add(d, g[3 * k + j], h[3 * i + j]);
      }
    }
    T mu = moduli[2 * e + 1], twice = mu + mu, pressure = moduli[2 * e] * (h[0] + h[4] + h[8]);
    T xx = multiply_add(twice, h[0], pressure), yy = multiply_add(twice, h[4], pressure),
      zz = multiply_add(twice, h[8], pressure);
    T xy = mu * (h[1] + h[3]), xz = mu * (h[2] + h[6]), yz = mu * (h[5] + h[7]);
    std::array<std::array<T, 3>, 3> stress = {{{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}}};
    for (size_t i = 0; i < 3; ++i) {
      T sum = 0.0f;
      for (size_t k = 0; k < 3; ++k) {
        T f = multiply_add(stress[i][0], g[3 * k],
                           multiply_add(stress[i][1], g[3 * k + 1], T(stress[i][2] * g[3 * k + 2])));
        forces[further(corner[k + 1], static_cast<int>(i))] -= f;
        sum += f;
      }
      forces[further(corner[0], static_cast<int>(i))] += sum;
    }
  }
}

/// Moves the nodes; their forces begin anew.
template <class Field>
void move_nodes(size_t nodes, const Field& weights, float step, Field& forces, Field& velocity, Field& displacement) {
  using T = typename Field::value_type;
  for (size_t n : cpu::steps<T>(nodes)) {
    T weight = weights[n];
    for (size_t at = 3 * n; at < 3 * n + 3; ++at) {
      T v = host::multiply_add(weight, T(forces[at]), T(velocity[at]));
      velocity[at] = v;
      displacement[at] = host::multiply_add(T(step), v, T(displacement[at]));
      forces[at] = T(0.0f);
    }
  }
}

template <class Places, class Field>
void set_boundary(size_t count, const Places& places, const Field& shares, float amount, Field& displacement) {
  using T = typename Field::value_type;
  for (size_t i : cpu::steps<T>(count)) {
    typename Places::value_type place = places[i];
    displacement[place] = T(0.0f);
    displacement[further(place, 1)] = T(0.0f);
    displacement[further(place, 2)] = shares[i] * T(amount);
  }
}

}  // namespace warptime::workloads
