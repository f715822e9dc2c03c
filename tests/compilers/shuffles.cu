// Shuffles of a warp: sums by halves, a prefix sum, a value from a lane that data name.
#include "program.h"

#ifdef ON_GPU
#ifdef __clang__
#define DOWN(v, n) static_cast<unsigned>(__nvvm_shfl_sync_down_i32(0xffffffff, static_cast<int>(v), n, 31))
#define UP(v, n) static_cast<unsigned>(__nvvm_shfl_sync_up_i32(0xffffffff, static_cast<int>(v), n, 0))
#define FROM(v, n) static_cast<unsigned>(__nvvm_shfl_sync_idx_i32(0xffffffff, static_cast<int>(v), n, 31))
#define ACROSS(v, n) static_cast<unsigned>(__nvvm_shfl_sync_bfly_i32(0xffffffff, static_cast<int>(v), n, 31))
#else
#define DOWN(v, n) __shfl_down_sync(0xffffffff, v, n)
#define UP(v, n) __shfl_up_sync(0xffffffff, v, n)
#define FROM(v, n) __shfl_sync(0xffffffff, v, n)
#define ACROSS(v, n) __shfl_xor_sync(0xffffffff, v, n)
#endif

KERNEL {
  unsigned i = BLOCK * kBlockThreads + THREAD, lane = THREAD % 32, v = in[i];
  unsigned total = v, prefix = v, largest = v;
  for (int step = 16; step > 0; step /= 2) {
    total += DOWN(total, step);
    unsigned other = ACROSS(largest, step);
    largest = other > largest ? other : largest;
  }
  for (unsigned step = 1; step < 32; step *= 2) {
    unsigned other = UP(prefix, step);
    if (lane >= step) prefix += other;
  }
  out[i] = FROM(total, 0) * 3 + prefix * 5 + largest * 7 + FROM(v, in[i + 1] % 32);
}
#else
REFERENCE {
  for (unsigned first = 0; first < kThreads; first += 32) {
    unsigned total = 0, largest = 0, prefix = 0;
    for (unsigned k = first; k < first + 32; ++k) total += in[k], largest = in[k] > largest ? in[k] : largest;
    for (unsigned k = first; k < first + 32; ++k) {
      prefix += in[k];
      out[k] = total * 3 + prefix * 5 + largest * 7 + in[first + in[k + 1] % 32];
    }
  }
}
#endif
