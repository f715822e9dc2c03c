// Control flow: loops in loops left from within, continue, goto, early returns, conditions with side effects.
#include "program.h"

CALLED unsigned greatest_divisor(unsigned a, unsigned b) {
  while (b != 0) {
    unsigned r = a % b;
    a = b;
    b = r;
  }
  return a;
}

CALLED unsigned pythagorean(unsigned limit, unsigned wanted) {
  unsigned found = 0;
  for (unsigned a = 1; a < limit; ++a) {
    for (unsigned b = a; b < limit; ++b) {
      if (greatest_divisor(a, b) != 1) continue;
      for (unsigned c = b + 1; c <= a + b; ++c) {
        if (c * c > a * a + b * b) break;
        if (c * c < a * a + b * b) continue;
        if (++found == wanted) return a * 10000 + b * 100 + c;
      }
    }
  }
  return found;
}

CALLED unsigned collatz(unsigned n, unsigned most) {
  unsigned steps = 0;
again:
  if (n == 1) goto done;
  if (++steps > most) goto failed;
  if (n & 1) {
    n = 3 * n + 1;
    goto again;
  }
  n >>= 1;
  goto again;
failed:
  return 0xffff0000u | n;
done:
  return steps;
}

DEVICE unsigned value_of(const unsigned* in, unsigned i) {
  if (in[i] % 11 == 0) return 11;
  unsigned sum = pythagorean(5 + in[i] % 20, 1 + in[i + 1] % 3) + collatz(1 + in[i + 2] % 5000, 60);
  unsigned a = in[i + 3], b = 0;
  do {
    if (a % 7 == 0 && ++b > 2) break;
    a = a / 2 + b;
  } while ((a > 50 || b++ == 1) && b < 9);
  return sum * 31 + a * 5 + b;
}

EACH_THREAD(value_of)
