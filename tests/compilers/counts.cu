// Barriers that count: __syncthreads_count, __syncthreads_and, __syncthreads_or.
#include "program.h"

#ifdef ON_GPU
#ifdef __clang__
#define COUNT(p) __nvvm_bar0_popc(p)
#define ALL(p) __nvvm_bar0_and(p)
#define ANY(p) __nvvm_bar0_or(p)
#else
#define COUNT(p) __syncthreads_count(p)
#define ALL(p) __syncthreads_and(p)
#define ANY(p) __syncthreads_or(p)
#endif

KERNEL {
  unsigned i = BLOCK * kBlockThreads + THREAD, v = in[i], rounds = 0;
  while (ANY(v > 100) != 0) {  // as often as the largest needs
    v = v > 100 ? v / 7 : v;
    ++rounds;
  }
  out[i] = v + rounds * 256 + static_cast<unsigned>(COUNT(v % 2 == 0)) * 65536 + (ALL(v < 100) != 0) * 0x40000000u;
}
#else
REFERENCE {
  for (unsigned block = 0; block < kBlocks; ++block) {
    unsigned *v = out + block * kBlockThreads, rounds = 0, even = 0;
    bool below = true;
    for (unsigned t = 0; t < kBlockThreads; ++t) {
      unsigned needs = 0;
      for (v[t] = in [block * kBlockThreads + t]; v[t] > 100; v[t] /= 7) ++needs;
      rounds = needs > rounds ? needs : rounds;
      even += v[t] % 2 == 0;
      below &= v[t] < 100;
    }
    for (unsigned t = 0; t < kBlockThreads; ++t) v[t] += rounds * 256 + even * 65536 + below * 0x40000000u;
  }
}
#endif
