// Functions that call themselves and each other: Fibonacci, Ackermann, the towers of Hanoi.
#include "program.h"

CALLED unsigned fibonacci(unsigned n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

CALLED unsigned ackermann(unsigned m, unsigned n) {
  if (m == 0) return n + 1;
  return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

CALLED void hanoi(int discs, int from, int to, unsigned& moves) {
  if (discs == 0) return;
  hanoi(discs - 1, from, 3 - from - to, moves);
  moves = moves * 31 + static_cast<unsigned>(from * 4 + to);
  hanoi(discs - 1, 3 - from - to, to, moves);
}

CALLED bool odd(unsigned n);
CALLED bool even(unsigned n) { return n == 0 || odd(n - 1); }
CALLED bool odd(unsigned n) { return n != 0 && even(n - 1); }

DEVICE unsigned value_of(const unsigned* in, unsigned i) {
  unsigned moves = 1;
  hanoi(static_cast<int>(in[i] % 5), 0, 2, moves);
  return fibonacci(in[i + 1] % 9) + ackermann(in[i + 2] % 3, in[i + 3] % 4) * 100 + moves +
         even(in[i + 4] % 20) * 1000000u;
}

EACH_THREAD(value_of)
