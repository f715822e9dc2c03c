// Bytes, shorts, bools: sign extension, wrapping, packing through unions, bits counted and turned around.
#include "program.h"

CALLED signed char clamped(int v) { return static_cast<signed char>(v < -128 ? -128 : v > 127 ? 127 : v); }
CALLED bool parity(unsigned short v) { return (POPCOUNT(v) & 1) != 0; }
CALLED short mixed(short a, signed char b, unsigned char c, bool d) {
  return static_cast<short>(d ? a * b - c : a / (b | 1) + c);
}

DEVICE unsigned value_of(const unsigned* in, unsigned i) {
  union {
    unsigned word;
    signed char bytes[4];
    short halves[2];
  } a{in[i]}, b{in[i + 1]}, c{};
  for (int k = 0; k < 4; ++k) c.bytes[k] = clamped(a.bytes[k] + b.bytes[k]);
  unsigned sum = c.word;
  for (int k = 0; k < 2; ++k) {
    short m = mixed(a.halves[k], b.bytes[k], static_cast<unsigned char>(a.bytes[k + 1]),
                    parity(static_cast<unsigned short>(b.halves[k])));
    sum = sum * 31 + static_cast<unsigned>(m);
    sum += static_cast<unsigned short>(m >> (in[i + 2] % 16)) + static_cast<unsigned char>(m << 3);
  }
  unsigned reversed = 0;
  for (unsigned k = 0, v = in [i + 3]; k < 32; ++k, v >>= 1) reversed = (reversed << 1) | (v & 1);
  return sum ^ reversed;
}

EACH_THREAD(value_of)
