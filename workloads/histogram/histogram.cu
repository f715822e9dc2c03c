// Histogram of n bytes in 64 bins (the upper six bits of a byte): with atomic operations on shared memory, and, for
// machines that have none, with a byte counter for every thread and bin.
//
//   nvcc -ptx -arch=compute_75 -lineinfo histogram.cu -o histogram.ptx
typedef unsigned char u8;

#define BINS 64

// Each block counts in shared memory and adds its counts to the result. Grid-stride over the words.
extern "C" __global__ void histogram_atomics(const unsigned* data, unsigned words, unsigned* bins) {
  __shared__ unsigned counts[BINS];
  if (threadIdx.x < BINS) counts[threadIdx.x] = 0;
  __syncthreads();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x) {
    unsigned word = data[i];
    atomicAdd(&counts[(word >> 2) & 63], 1);
    atomicAdd(&counts[(word >> 10) & 63], 1);
    atomicAdd(&counts[(word >> 18) & 63], 1);
    atomicAdd(&counts[word >> 26], 1);
  }
  __syncthreads();
  if (threadIdx.x < BINS) atomicAdd(&bins[threadIdx.x], counts[threadIdx.x]);
}

// Blocks of 64 threads, at most 63 words per thread: a byte counts to 255. The counters of one bin lie together, and the
// threads of a half-warp in different banks, whatever bins they hit: thread t's byte is at (t % 16) * 4 + t / 16.
extern "C" __global__ void histogram_private(const unsigned* data, unsigned words, unsigned words_per_block,
                                             unsigned* partial) {
  __shared__ unsigned counters[BINS * 64 / 4];
  u8* counts = (u8*)counters;
  for (unsigned i = threadIdx.x; i < BINS * 64 / 4; i += 64) counters[i] = 0;
  __syncthreads();
  u8* mine = counts + ((threadIdx.x & 15) << 2 | threadIdx.x >> 4);
  unsigned begin = blockIdx.x * words_per_block, end = min(begin + words_per_block, words);
  for (unsigned i = begin + threadIdx.x; i < end; i += 64) {
    unsigned word = data[i];
    ++mine[(word << 4) & 0xfc0];
    ++mine[(word >> 4) & 0xfc0];
    ++mine[(word >> 12) & 0xfc0];
    ++mine[(word >> 20) & 0xfc0];
  }
  __syncthreads();
  // Thread t adds up bin t, each beginning at another word.
  unsigned sum = 0;
  for (unsigned i = 0; i < 16; ++i) {
    unsigned four = counters[threadIdx.x * 16 + ((i + threadIdx.x) & 15)];
    sum += (four & 255) + (four >> 8 & 255) + (four >> 16 & 255) + (four >> 24);
  }
  partial[blockIdx.x * BINS + threadIdx.x] = sum;
}

// Block b adds up bin b of all rows. 64 threads.
extern "C" __global__ void histogram_merge(const unsigned* partial, unsigned rows, unsigned* bins) {
  __shared__ unsigned sums[64];
  unsigned sum = 0;
  for (unsigned row = threadIdx.x; row < rows; row += 64) sum += partial[row * BINS + blockIdx.x];
  sums[threadIdx.x] = sum;
  for (unsigned half = 32; half > 0; half >>= 1) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) bins[blockIdx.x] = sums[0];
}
