// Histogram of bytes in 256 bins for a machine without atomic operations: a warp has counters of its own in shared
// memory, and the upper five bits of a counter name the lane that wrote it last, so that a lane sees whether its
// increment was kept. Written from Podlozhnyuk 2007a (docs/sources.md), which prints the loop; a second kernel,
// described there, adds the counters of all blocks.
//
//   nvcc -ptx -arch=compute_75 -lineinfo histogram256.cu -o histogram256.ptx
constexpr int kWarps = 6, kBins = 256, kCounters = kWarps * kBins;
constexpr unsigned kCount = 0x07ffffff;  // the bits of a counter below its tag

__device__ __forceinline__ void add(volatile unsigned* counters, unsigned bin, unsigned tag) {
  unsigned count;
  do {
    count = counters[bin] & kCount;
    count = tag | (count + 1);
    counters[bin] = count;
  } while (counters[bin] != count);
}

extern "C" __global__ void count(const unsigned* data, unsigned* partial, int words) {
  __shared__ volatile unsigned all[kCounters];
  volatile unsigned* counters = all + (threadIdx.x >> 5) * kBins;
  unsigned tag = threadIdx.x << 27;
#pragma unroll 1
  for (int i = threadIdx.x; i < kCounters; i += blockDim.x) all[i] = 0;
  __syncthreads();
#pragma unroll 1  // as compilers of 2007 left a loop of unknown length
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += blockDim.x * gridDim.x) {
    unsigned four = data[i];
    add(counters, four & 0xff, tag);
    add(counters, four >> 8 & 0xff, tag);
    add(counters, four >> 16 & 0xff, tag);
    add(counters, four >> 24, tag);
  }
  __syncthreads();
#pragma unroll 1
  for (int bin = threadIdx.x; bin < kBins; bin += blockDim.x) {
    unsigned sum = 0;
    for (int first = 0; first < kCounters; first += kBins) sum += all[first + bin] & kCount;
    partial[blockIdx.x * kBins + bin] = sum;
  }
}

// Block b adds up bin b of all rows by a tree in shared memory; a thread for each row.
extern "C" __global__ void merge(const unsigned* partial, unsigned* bins) {
  extern __shared__ unsigned sums[];
  sums[threadIdx.x] = partial[threadIdx.x * kBins + blockIdx.x];
#pragma unroll 1
  for (int half = blockDim.x >> 1; half > 0; half >>= 1) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) bins[blockIdx.x] = sums[0];
}
