// Atomic operations in shared and global memory: a histogram of each block, then of all; maximum, 64-bit sum.
#include "program.h"

constexpr unsigned kBins = 64;

#ifdef ON_GPU
KERNEL {
  __shared__ unsigned bins[kBins];
  for (unsigned k = THREAD; k < kBins; k += kBlockThreads) bins[k] = 0;
  BARRIER();
  unsigned i = BLOCK * kBlockThreads + THREAD;
  for (unsigned k = i; k < kWords; k += kThreads) ATOMIC_ADD(&bins[in[k] % kBins], 1 + (in[k] >> 30));
  BARRIER();
  for (unsigned k = THREAD; k < kBins; k += kBlockThreads)
    if (bins[k] != 0) ATOMIC_ADD(&out[k], bins[k]);
  ATOMIC_MAX(&out[kBins], in[i]);
  ATOMIC_ADD64(reinterpret_cast<Unsigned64*>(out + kBins + 2), Unsigned64{in[i]} << 7);
}
#else
REFERENCE {
  Unsigned64 sum = 0;
  for (unsigned k = 0; k < kWords; ++k) out[in[k] % kBins] += 1 + (in[k] >> 30);
  for (unsigned i = 0; i < kThreads; ++i) {
    if (in[i] > out[kBins]) out[kBins] = in[i];
    sum += Unsigned64{in[i]} << 7;
  }
  out[kBins + 2] = static_cast<unsigned>(sum);
  out[kBins + 3] = static_cast<unsigned>(sum >> 32);
}
#endif
