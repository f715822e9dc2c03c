// Double precision: division, square roots, fused steps, conversions to and from integers, comparisons and selections.
#include "program.h"

CALLED double newton_cube_root(double a) {
  double x = a > 1 ? a / 3 : 1;
  for (int k = 0; k < 40; ++k) {
    double next = (2 * x + a / (x * x)) / 3;
    if (next == x) break;
    x = next;
  }
  return x;
}

DEVICE unsigned folded(double v) {
  union {
    double d;
    Unsigned64 u;
  } both;
  both.d = v;
  return static_cast<unsigned>(both.u) ^ static_cast<unsigned>(both.u >> 32);
}

DEVICE unsigned value_of(const unsigned* in, unsigned i) {
  double a = static_cast<int>(in[i]), b = in[i + 1] * 0x1p-16 + 1,
         c = static_cast<double>(Signed64{1} << (in[i + 2] % 60));
  double root = SQRT64(b * b + 1), fused = FMA64(a, b, -c), quotient = a / b;
  double larger = a < fused ? fused : a;
  bool ordered = a == a && !(root < 0);
  unsigned sum = folded(root) * 3 + folded(fused) * 5 + folded(quotient) * 7 + folded(newton_cube_root(b)) * 11;
  sum += folded(larger) + static_cast<unsigned>(static_cast<Signed64>(quotient)) + static_cast<unsigned>(b);
  return sum * 2 + ordered + folded(static_cast<double>(static_cast<float>(quotient)));
}

EACH_THREAD(value_of)
