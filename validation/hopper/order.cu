// Scans and sorts: prefix sums of blocks by shuffles, bitonic sorting in shared and in global memory, running means.
//
//   nvcc -ptx -arch=compute_75 -lineinfo order.cu -o order.ptx
#include "digest.cuh"

// Each block of 256 threads computes the inclusive prefix sums of its own 1024 elements.
extern "C" __global__ void scan_blocks(const uint4* in, uint4* out, unsigned* totals) {
  __shared__ unsigned warp_totals[8];
  unsigned i = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  uint4 v = in[i];
  v.y += v.x;
  v.z += v.y;
  v.w += v.z;
  unsigned sum = v.w;
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    unsigned other = __shfl_up_sync(~0u, sum, distance);
    if (lane >= distance) sum += other;
  }
  if (lane == 31) warp_totals[warp] = sum;
  __syncthreads();
  unsigned before = sum - v.w;
  for (unsigned w = 0; w < warp; ++w) before += warp_totals[w];
  out[i] = make_uint4(v.x + before, v.y + before, v.z + before, v.w + before);
  if (threadIdx.x == 255) totals[blockIdx.x] = before + v.w;
}

// Each block of 512 threads sorts 1024 keys in shared memory.
extern "C" __global__ void bitonic_shared(const unsigned* keys, unsigned* sorted) {
  __shared__ unsigned key[1024];
  const unsigned* own = keys + blockIdx.x * 1024;
  key[threadIdx.x] = own[threadIdx.x];
  key[threadIdx.x + 512] = own[threadIdx.x + 512];
  for (unsigned size = 2; size <= 1024; size *= 2) {
    for (unsigned distance = size / 2; distance > 0; distance /= 2) {
      __syncthreads();
      unsigned low = 2 * threadIdx.x - (threadIdx.x & (distance - 1)), high = low + distance;
      bool descending = (low & size) != 0;
      unsigned a = key[low], b = key[high];
      if ((a > b) != descending) {
        key[low] = b;
        key[high] = a;
      }
    }
  }
  __syncthreads();
  sorted[blockIdx.x * 1024 + threadIdx.x] = key[threadIdx.x];
  sorted[blockIdx.x * 1024 + threadIdx.x + 512] = key[threadIdx.x + 512];
}

// One step of a bitonic sort in global memory: a thread for each pair.
extern "C" __global__ void bitonic_step(const unsigned* in, unsigned* out, unsigned pairs, unsigned size,
                                        unsigned distance) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pairs) return;
  unsigned low = 2 * i - (i & (distance - 1)), high = low + distance;
  unsigned a = in[low], b = in[high];
  bool exchange = (a > b) != ((low & size) != 0);
  out[low] = exchange ? b : a;
  out[high] = exchange ? a : b;
}

// The mean of the last 32 values, 16 results in a row for each thread.
extern "C" __global__ void moving_average(const float* in, float* out, int count) {
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * 16;
  if (first + 16 > count) return;
  float sum = 0;
  for (int i = max(first - 31, 0); i < first; ++i) sum += in[i];
  for (int i = first; i < first + 16; ++i) {
    sum += in[i];
    out[i] = sum * (1.0f / 32);
    if (i >= 31) sum -= in[i - 31];
  }
}
