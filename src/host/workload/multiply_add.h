// a b + c as computed by the kernels, for references that must have the same bits: rounded once for float, like fma.rn;
// a product and a sum for other number types.
#pragma once

#include <cmath>

namespace warptime::host {

template <class T>
T multiply_add(T a, T b, T c) {
  return a * b + c;
}
inline float multiply_add(float a, float b, float c) { return std::fma(a, b, c); }

}  // namespace warptime::host
