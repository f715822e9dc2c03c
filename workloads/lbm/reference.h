// A step of the lattice on the CPU, for any number type, in the kernels' order: with float the results are the same
// bits. A cell is 19 distributions and the set of its directions that end in walls, as a number, most often 0.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "cpu/counted.h"
#include "host/workload/multiply_add.h"

namespace warptime::workloads::lbm {

constexpr size_t kWidth = 100, kWords = 20, kDirections = 19;
constexpr float kOmega = 1.5f, kLidVelocity = 0.05f, kLidPush = kLidVelocity / 6;
constexpr int kLidForward = 19, kLidBackward = 20;  // bits: the wall that directions 11 and 14 end in is the lid
constexpr std::array<std::array<int, 3>, kDirections> kVelocity = {{{0, 0, 0},
                                                                    {1, 0, 0},
                                                                    {-1, 0, 0},
                                                                    {0, 1, 0},
                                                                    {0, -1, 0},
                                                                    {0, 0, 1},
                                                                    {0, 0, -1},
                                                                    {1, 1, 0},
                                                                    {-1, -1, 0},
                                                                    {1, -1, 0},
                                                                    {-1, 1, 0},
                                                                    {1, 0, 1},
                                                                    {-1, 0, -1},
                                                                    {1, 0, -1},
                                                                    {-1, 0, 1},
                                                                    {0, 1, 1},
                                                                    {0, -1, -1},
                                                                    {0, 1, -1},
                                                                    {0, -1, 1}}};

constexpr size_t opposite(size_t d) { return d == 0 ? 0 : ((d - 1) ^ 1) + 1; }

/// The share of the density at rest that a direction's distributions have.
constexpr float weight(size_t d) { return d == 0 ? 1.0f / 3 : d < 7 ? 1.0f / 18 : 1.0f / 36; }

template <class T>
T density(const std::array<T, kDirections>& f) {
  T sum = f[0];
  for (size_t d = 1; d < kDirections; ++d) sum = sum + f[d];
  return sum;
}

template <class T>
void relax(T& first, T& second, T weight, T u, T rest) {
  T even = host::multiply_add(T(4.5f * u), u, rest), linear = u;
  first = host::multiply_add(weight, host::multiply_add(T(3.0f), linear, even), T((1 - kOmega) * first));
  second = host::multiply_add(weight, host::multiply_add(T(-3.0f), linear, even), T((1 - kOmega) * second));
}

template <class T>
void collide(std::array<T, kDirections>& f) {
  T rho = density(f), volume = 1.0f / rho;
  std::array<T, kDirections / 2> pair;
  for (size_t p = 0; p < pair.size(); ++p) pair[p] = f[2 * p + 1] - f[2 * p + 2];
  T x = (pair[0] + pair[3] + pair[4] + pair[5] + pair[6]) * volume;
  T y = (pair[1] + pair[3] - pair[4] + pair[7] + pair[8]) * volume;
  T z = (pair[2] + pair[5] - pair[6] + pair[7] - pair[8]) * volume;
  T square = host::multiply_add(x, x, host::multiply_add(y, y, T(z * z)));
  T rest = host::multiply_add(T(-1.5f), square, T(1.0f));

  T share = kOmega * rho, straight = share * (1.0f / 18), diagonal = share * (1.0f / 36);
  f[0] = host::multiply_add(T(share * (1.0f / 3)), rest, T((1 - kOmega) * f[0]));
  relax(f[1], f[2], straight, x, rest);
  relax(f[3], f[4], straight, y, rest);
  relax(f[5], f[6], straight, z, rest);
  relax(f[7], f[8], diagonal, T(x + y), rest);
  relax(f[9], f[10], diagonal, T(x - y), rest);
  relax(f[11], f[12], diagonal, T(x + z), rest);
  relax(f[13], f[14], diagonal, T(x - z), rest);
  relax(f[15], f[16], diagonal, T(y + z), rest);
  relax(f[17], f[18], diagonal, T(y - z), rest);
}

/// Cells from `begin` to `end`: collide, then each distribution moves to its neighbour, or back from a wall.
template <class Array>
void step(const Array& from, Array& to, size_t rows, size_t begin, size_t end) {
  using T = typename Array::value_type;
  auto layer = static_cast<ptrdiff_t>(rows * kWidth);
  for (size_t cell : cpu::steps<T>(begin, end)) {
    std::array<T, kDirections> f;
    for (size_t d = 0; d < kDirections; ++d) f[d] = from[kWords * cell + d];
    T number = from[kWords * cell + kDirections];
    collide(f);
    auto neighbour = [&](size_t d) {
      auto [x, y, z] = kVelocity[d];
      ptrdiff_t there = static_cast<ptrdiff_t>(cell) + x + y * ptrdiff_t{kWidth} + z * layer;
      return kWords * static_cast<size_t>(there) + d;
    };
    if (number == 0.0f) {
      for (size_t d = 0; d < kDirections; ++d) to[neighbour(d)] = f[d];
      continue;
    }
    auto walls = cpu::like<T, int32_t>(number);
    if ((walls & (1 << kLidForward)) != 0) f[11] = f[11] - kLidPush;
    if ((walls & (1 << kLidBackward)) != 0) f[14] = f[14] + kLidPush;
    for (size_t d = 0; d < kDirections; ++d) {
      if ((walls & (1 << d)) != 0) to[kWords * cell + opposite(d)] = f[d];
      else to[neighbour(d)] = f[d];
    }
  }
}

/// The walls of a cell of a box, whose lid is where z ends.
inline int32_t walls_of(size_t x, size_t y, size_t z, size_t rows, size_t layers) {
  auto beyond = [](size_t at, int step, size_t size) { return (at == 0 && step < 0) || (at + 1 == size && step > 0); };
  int32_t walls = 0;
  for (size_t d = 0; d < kDirections; ++d) {
    auto [dx, dy, dz] = kVelocity[d];
    bool side = beyond(x, dx, kWidth) || beyond(y, dy, rows);
    if (!side && !beyond(z, dz, layers)) continue;
    walls |= 1 << d;
    // What lies beyond the lid and a side is wall at rest.
    if (!side && d == 11) walls |= 1 << kLidForward;
    if (!side && d == 14) walls |= 1 << kLidBackward;
  }
  return walls;
}

}  // namespace warptime::workloads::lbm
