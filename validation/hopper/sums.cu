// Reductions: by shuffles, by atomics of blocks, of doubles, and of the least and the largest value in shared memory.
//
//   nvcc -ptx -arch=compute_75 -lineinfo sums.cu -o sums.ptx
#include "digest.cuh"

// A partial sum for each block of 256 threads; four elements a load.
extern "C" __global__ void sum_shuffles(const float4* in, float* partial, int quads) {
  __shared__ float part[8];
  float sum = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < quads; i += gridDim.x * 256) {
    float4 v = in[i];
    sum += (v.x + v.y) + (v.z + v.w);
  }
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(~0u, sum, distance);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 8) {
    sum = part[threadIdx.x];
    for (int distance = 4; distance > 0; distance /= 2) sum += __shfl_down_sync(0xff, sum, distance);
    if (threadIdx.x == 0) partial[blockIdx.x] = sum;
  }
}

// An element for each thread, an atomic addition in shared memory for each, one in global memory for each block.
extern "C" __global__ void sum_atomics(const unsigned* in, unsigned* total, int count) {
  __shared__ unsigned sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) atomicAdd(&sum, in[i]);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(total, sum);
}

// The scalar product of doubles; a partial sum for each block of 128 threads.
extern "C" __global__ void dot_doubles(const double* x, const double* y, double* partial, int count) {
  __shared__ double part[128];
  double sum = 0;
  for (int i = blockIdx.x * 128 + threadIdx.x; i < count; i += gridDim.x * 128) sum += x[i] * y[i];
  part[threadIdx.x] = sum;
  for (int width = 64; width > 0; width /= 2) {
    __syncthreads();
    if (threadIdx.x < width) part[threadIdx.x] += part[threadIdx.x + width];
  }
  if (threadIdx.x == 0) partial[blockIdx.x] = part[0];
}

// Least and largest value; the last block to end combines what all have found.
extern "C" __global__ void extremes(const int* in, int* least, int* largest, unsigned* ended, int* result, int count) {
  __shared__ int low[256], high[256];
  __shared__ bool last;
  int a = 0x7fffffff, b = -a;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < count; i += gridDim.x * 256) a = min(a, in[i]), b = max(b, in[i]);
  for (int round = 0; round < 2; ++round) {
    low[threadIdx.x] = a;
    high[threadIdx.x] = b;
    for (int width = 128; width > 0; width /= 2) {
      __syncthreads();
      if (threadIdx.x < width) {
        low[threadIdx.x] = min(low[threadIdx.x], low[threadIdx.x + width]);
        high[threadIdx.x] = max(high[threadIdx.x], high[threadIdx.x + width]);
      }
    }
    if (round == 1) break;
    if (threadIdx.x == 0) {
      least[blockIdx.x] = low[0];
      largest[blockIdx.x] = high[0];
      __threadfence();
      last = atomicAdd(ended, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    a = 0x7fffffff;
    b = -a;
    for (int i = threadIdx.x; i < gridDim.x; i += 256) a = min(a, __ldcg(least + i)), b = max(b, __ldcg(largest + i));
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    result[0] = low[0];
    result[1] = high[0];
    *ended = 0;
  }
}
