// Single precision: division and square root as IEEE 754 has them, subnormal results, conversions of every integer
// width.
#include "program.h"

DEVICE unsigned bits(float v) {
  union {
    float f;
    unsigned u;
  } both;
  both.f = v;
  return both.u;
}

CALLED float continued_fraction(float x, int depth) {
  float value = x;
  for (int k = depth; k > 0; --k) value = static_cast<float>(k) + x / value;
  return value;
}

DEVICE unsigned value_of(const unsigned* in, unsigned i) {
  float a = static_cast<float>(static_cast<int>(in[i])), b = static_cast<float>(in[i + 1] >> 8) * 0x1p-20f + 0.5f;
  float tiny = b * 0x1p-140f * 0x1p-3f;
  unsigned sum = bits(a / b) + bits(SQRT32(b)) * 3 + bits(FMA32(a, b, 1.0f)) * 5 + bits(tiny) * 7;
  sum += bits(continued_fraction(b, static_cast<int>(in[i + 2] % 12)));
  sum += static_cast<unsigned>(static_cast<int>(a * 0.25f)) + static_cast<unsigned char>(static_cast<int>(b)) +
         static_cast<unsigned>(static_cast<Signed64>(b * 1024.0f));
  sum ^= bits(static_cast<float>(static_cast<short>(in[i + 3]))) ^ bits(static_cast<float>(Unsigned64{in[i + 4]} << 9));
  float low = a < b ? a : b;
  return sum + bits(low) + (a > b) * 2u + (tiny != 0) * 4u;
}

EACH_THREAD(value_of)
