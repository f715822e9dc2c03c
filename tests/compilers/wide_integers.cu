// 64-bit and 128-bit integers: products, quotients, remainders, shifts by any amount, modular powers, saturation.
#include "program.h"

__extension__ typedef unsigned __int128 Unsigned128;

CALLED Unsigned64 power_modulo(Unsigned64 base, Unsigned64 exponent, Unsigned64 modulus) {
  Unsigned64 result = 1;
  for (base %= modulus; exponent > 0; exponent >>= 1) {
    if (exponent & 1) result = result * base % modulus;
    base = base * base % modulus;
  }
  return result;
}

CALLED Signed64 floor_divided(Signed64 a, Signed64 b) {
  Signed64 q = a / b;
  return q - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

DEVICE unsigned value_of(const unsigned* in, unsigned i) {
  Unsigned64 a = (Unsigned64{in[i]} << 32) | in[i + 1], b = (Unsigned64{in[i + 2]} << (in[i + 3] % 33)) | 1;
  Signed64 s = static_cast<Signed64>(a), d = static_cast<Signed64>(b);
  Unsigned128 product = static_cast<Unsigned128>(a) * b + in[i + 4];
  Unsigned64 sum = static_cast<Unsigned64>(product >> 64) ^ static_cast<Unsigned64>(product);
  sum = sum * 31 + a / b + a % b;
  sum = sum * 31 + static_cast<Unsigned64>(floor_divided(s, d));
  sum = sum * 31 + power_modulo(in[i + 5], in[i + 6], (in[i + 7] & 0xffffff) + 2);
  sum = sum * 31 + static_cast<Unsigned64>(s >> (in[i] % 64)) + (a << (in[i + 1] % 64));
  Unsigned64 total = a + b;
  if (total < a) total = ~Unsigned64{0};  // saturates
  return static_cast<unsigned>(sum ^ (sum >> 32) ^ total ^ (total >> 32));
}

EACH_THREAD(value_of)
