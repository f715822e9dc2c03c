// Counting by atomics: to few and to many addresses, in shared memory, and the counts of a radix sort by matching lanes.
//
//   nvcc -ptx -arch=compute_75 -lineinfo counting.cu -o counting.ptx
#include "digest.cuh"

// Atomic additions to global memory at `bins` addresses, a power of two.
extern "C" __global__ void count_global(const unsigned* in, unsigned* counts, int count, unsigned bins) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    atomicAdd(counts + (in[i] & (bins - 1)), 1);
}

// 256 bins of bytes in shared memory, four bytes a load.
extern "C" __global__ void count_bytes(const unsigned* in, unsigned* counts, int words) {
  __shared__ unsigned bin[256];
  bin[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < words; i += gridDim.x * 256) {
    unsigned v = in[i];
    atomicAdd(bin + (v & 255), 1);
    atomicAdd(bin + (v >> 8 & 255), 1);
    atomicAdd(bin + (v >> 16 & 255), 1);
    atomicAdd(bin + (v >> 24), 1);
  }
  __syncthreads();
  if (bin[threadIdx.x] != 0) atomicAdd(counts + threadIdx.x, bin[threadIdx.x]);
}

// How often each of 16 digits occurs in the 2048 keys of a block of 256 threads; equal lanes find each other by ballots.
extern "C" __global__ void digit_counts(const unsigned* keys, unsigned* counts, int shift) {
  __shared__ unsigned bin[8][16];
  unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (lane < 16) bin[warp][lane] = 0;
  __syncwarp();
  for (int i = 0; i < 8; ++i) {
    unsigned digit = keys[blockIdx.x * 2048 + i * 256 + threadIdx.x] >> shift & 15, same = ~0u;
    for (int bit = 0; bit < 4; ++bit) {
      unsigned set = __ballot_sync(~0u, digit >> bit & 1);
      same &= digit >> bit & 1 ? set : ~set;
    }
    if ((same & ((1u << lane) - 1)) == 0) bin[warp][digit] += __popc(same);
    __syncwarp();
  }
  __syncthreads();
  if (threadIdx.x < 16) {
    unsigned sum = 0;
    for (int w = 0; w < 8; ++w) sum += bin[w][threadIdx.x];
    counts[threadIdx.x * gridDim.x + blockIdx.x] = sum;
  }
}

// Elements that pass a test are appended to a ring of `places`, a power of two; each warp takes places for its lanes by one
// atomic addition. A ring, because a launch is repeated for its time.
extern "C" __global__ void keep_below(const unsigned* in, unsigned* ring, unsigned* total, int count, unsigned limit,
                                      unsigned places) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool keep = i < count && in[i] < limit;
  unsigned lane = threadIdx.x % 32, who = __ballot_sync(~0u, keep), first = 0;
  if (who == 0) return;
  if (lane == 0) first = atomicAdd(total, __popc(who));
  first = __shfl_sync(~0u, first, 0);
  if (keep) ring[(first + __popc(who & ((1u << lane) - 1))) & (places - 1)] = in[i];
}
