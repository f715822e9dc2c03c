// A machine with a stack, interpreted: switches of many dense and of few far cases, in a loop that data end.
#include "program.h"

CALLED unsigned kind_of(unsigned v) {
  switch (v) {
    case 3: return 100;
    case 1000: return 7;
    case 70000: return 1;
    default: return v & 15;
  }
}

CALLED unsigned interpreted(const unsigned* code, unsigned length, unsigned seed) {
  unsigned a = seed, b = 1, c = 0x12345678, steps = 0;
  for (unsigned at = 0; at < length && steps < 200; ++at, ++steps) {
    unsigned word = code[at];
    switch (word & 15) {
      case 0: a += word >> 4; break;
      case 1: a -= b; break;
      case 2: a = (a << 7) | (a >> 25); break;
      case 3: b ^= a * 9; break;
      case 4: b = a > c ? a - c : c - a; break;
      case 5: c = c * 1664525u + 1013904223u; break;
      case 6:
        if ((a & 3) == 0) at += 2;
        break;
      case 7:
        if (at > 4 && (c & 1) != 0) at -= 3, c >>= 1;
        break;
      case 8: a = ~a; break;
      case 9: a = b / (c | 1); [[fallthrough]];
      case 10: b = b % (a | 1); break;
      case 11: c ^= POPCOUNT(a); break;
      case 12:
        if (a == b) return c;
        break;
      case 13: a += kind_of(word >> 8 & 3); break;
      case 14: b += kind_of(1000 + (a & 1)) << 3; break;
      default: c += kind_of(b % 70001); break;
    }
  }
  return a ^ b * 3 ^ c * 5;
}

DEVICE unsigned value_of(const unsigned* in, unsigned i) { return interpreted(in + i, 40 + i % 50, in[i]); }

EACH_THREAD(value_of)
