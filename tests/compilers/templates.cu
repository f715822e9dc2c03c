// Templates: recursion at compile time, packs of parameters, functions as arguments, specialisations, constant tables.
#include "program.h"

template <class T, int N>
struct Polynomial {
  T c[N];
  DEVICE T at(T x) const {
    T sum = c[N - 1];
    for (int i = N - 2; i >= 0; --i) sum = sum * x + c[i];
    return sum;
  }
};

template <unsigned N>
struct Factorial {
  static constexpr Unsigned64 value = N * Factorial<N - 1>::value;
};
template <>
struct Factorial<0> {
  static constexpr Unsigned64 value = 1;
};

template <class... T>
DEVICE unsigned mixed(T... values) {
  unsigned sum = 17;
  ((sum = sum * 31 + static_cast<unsigned>(values)), ...);
  return sum;
}

template <class F>
DEVICE unsigned repeated(unsigned times, unsigned value, F f) {
  for (unsigned k = 0; k < times; ++k) value = f(value, k);
  return value;
}

template <class T>
DEVICE T least(T a, T b) {
  return b < a ? b : a;
}

DEVICE unsigned value_of(const unsigned* in, unsigned i) {
  Polynomial<unsigned, 5> p{{in[i], in[i + 1], in[i + 2], in[i + 3], 7}};
  Polynomial<Unsigned64, 3> q{{in[i + 4], in[i + 5], 3}};
  unsigned key = in[(i * 7) % kWords];
  unsigned step = repeated(in[i] % 9, key, [key](unsigned v, unsigned k) { return (v ^ key) * 2654435761u + k; });
  return mixed(p.at(in[i + 6]), q.at(in[i + 7]), step, Factorial<12>::value, Factorial<20>::value >> 32,
               least(static_cast<int>(key), -5), least<short>(static_cast<short>(key), static_cast<short>(i)));
}

EACH_THREAD(value_of)
