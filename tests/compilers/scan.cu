// Static shared memory in two buffers that change places: prefix sums of a block, then a stencil on a tile with a halo.
#include "program.h"

#ifdef ON_GPU
KERNEL {
  __shared__ Unsigned64 sums[2][kBlockThreads];
  __shared__ short tile[kBlockThreads + 2];
  unsigned t = THREAD, i = BLOCK * kBlockThreads + t, now = 0;
  sums[0][t] = in[i];
  tile[t + 1] = static_cast<short>(in[i]);
  if (t == 0) tile[0] = static_cast<short>(in[kWords - 1 - BLOCK]);
  if (t == kBlockThreads - 1) tile[kBlockThreads + 1] = -3;
  BARRIER();
  for (unsigned step = 1; step < kBlockThreads; step *= 2, now ^= 1) {
    sums[now ^ 1][t] = sums[now][t] + (t >= step ? sums[now][t - step] : 0);
    BARRIER();
  }
  Unsigned64 sum = sums[now][t];
  out[i] = static_cast<unsigned>(sum ^ (sum >> 32)) + static_cast<unsigned>(tile[t] - 2 * tile[t + 1] + tile[t + 2]);
}
#else
REFERENCE {
  for (unsigned block = 0; block < kBlocks; ++block) {
    Unsigned64 sum = 0;
    for (unsigned t = 0; t < kBlockThreads; ++t) {
      unsigned i = block * kBlockThreads + t;
      sum += in[i];
      int left = static_cast<short>(t == 0 ? in[kWords - 1 - block] : in[i - 1]), middle = static_cast<short>(in[i]);
      int right = t == kBlockThreads - 1 ? -3 : static_cast<short>(in[i + 1]);
      out[i] = static_cast<unsigned>(sum ^ (sum >> 32)) + static_cast<unsigned>(left - 2 * middle + right);
    }
  }
}
#endif
