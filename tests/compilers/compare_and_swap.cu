// Loops of compare-and-swap: a sum of doubles, a product modulo a prime, a lock that lanes of one warp take in turn.
#include "program.h"

constexpr unsigned kPrime = 65521;

#ifdef ON_GPU
KERNEL {
  __shared__ unsigned product;
  if (THREAD == 0) product = 1;
  BARRIER();
  unsigned i = BLOCK * kBlockThreads + THREAD;

  unsigned seen = product, wanted;
  do {
    wanted = seen;
    seen = ATOMIC_CAS(&product, wanted, wanted * (in[i] % 1000 + 1) % kPrime);
  } while (seen != wanted);
  BARRIER();
  if (THREAD == 0) out[BLOCK] = product;

  union Both {
    Unsigned64 bits;
    double value;
  };
  auto* total = reinterpret_cast<Unsigned64*>(out + 8);
  Both now, next;
  now.bits = *total;
  for (;;) {
    next.value = now.value + static_cast<double>(in[i] >> 4);  // exact in any order
    Unsigned64 old = ATOMIC_CAS64(total, now.bits, next.bits);
    if (old == now.bits) break;
    now.bits = old;
  }
}
#else
REFERENCE {
  union {
    unsigned words[2];
    double value;
  } total{};
  total.value = 0;
  for (unsigned block = 0; block < kBlocks; ++block) {
    out[block] = 1;
    for (unsigned i = block * kBlockThreads; i < (block + 1) * kBlockThreads; ++i) {
      out[block] = out[block] * (in[i] % 1000 + 1) % kPrime;
      total.value += static_cast<double>(in[i] >> 4);
    }
  }
  out[8] = total.words[0];
  out[9] = total.words[1];
}
#endif
