// What waits: chains of loads, recurrences, constant memory, many registers, many barriers.
//
//   nvcc -ptx -arch=compute_75 -lineinfo chains.cu -o chains.ptx
#include "digest.cuh"

// Not measured: a chain through all of `count` indices, a power of two.
extern "C" __global__ void make_chain(unsigned* next, unsigned count) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) next[i] = (i * 1664525u + 1013904223u) & (count - 1);
}

// Each lane follows a chain of indices.
extern "C" __global__ void chase(const unsigned* next, unsigned* end, int hops, unsigned count) {
  unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) % count;
  for (int k = 0; k < hops; ++k) i = next[i];
  end[blockIdx.x * blockDim.x + threadIdx.x] = i;
}

// Thomas's algorithm for `size` equations of three diagonals (1, 4, 1), a thread for each system; stored row by row.
extern "C" __global__ void thomas(const float* right, float* x, float* scratch, int systems, int size) {
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= systems) return;
  float c = 0, d = 0;
  for (int i = 0; i < size; ++i) {
    float factor = 1 / (4 - c);
    d = (right[i * systems + s] - d) * factor;
    c = factor;
    scratch[i * systems + s] = c;
    x[i * systems + s] = d;
  }
  for (int i = size - 2; i >= 0; --i) {
    d = x[i * systems + s] - scratch[i * systems + s] * d;
    x[i * systems + s] = d;
  }
}

__constant__ unsigned kTable[4096];

// All lanes of a warp read the same element of the table in each round.
extern "C" __global__ void constant_uniform(unsigned* out, int rounds) {
  unsigned sum = threadIdx.x;
  for (int k = 0; k < rounds; ++k) sum = sum * 5 + kTable[(blockIdx.x + k) & 4095];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Each lane reads one of `spread` elements of the table.
extern "C" __global__ void constant_divergent(unsigned* out, int rounds, unsigned spread) {
  unsigned sum = threadIdx.x;
  for (int k = 0; k < rounds; ++k) sum = sum * 5 + kTable[(sum + k) % spread];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// 96 accumulators a thread: blocks of 256 threads, of which two fit on an SM.
extern "C" __global__ void __launch_bounds__(256, 2) many_registers(const float* in, float* out, int rounds) {
  int i = blockIdx.x * 256 + threadIdx.x;
  float x = in[i], a[96];
#pragma unroll
  for (int j = 0; j < 96; ++j) a[j] = x + j;
  for (int k = 0; k < rounds; ++k) {
#pragma unroll
    for (int j = 0; j < 96; ++j) a[j] = fmaf(a[j], 0.5f, a[(j + 17) % 96]);
    x = in[(i + k) & 1023];
    a[0] += x;
  }
  float sum = 0;
#pragma unroll
  for (int j = 0; j < 96; ++j) sum += a[j];
  out[i] = sum;
}

// A ring in shared memory that moves by one place at each barrier.
extern "C" __global__ void many_barriers(const unsigned* in, unsigned* out, int rounds) {
  extern __shared__ unsigned ring[];
  unsigned value = in[blockIdx.x * blockDim.x + threadIdx.x], from = threadIdx.x == 0 ? blockDim.x - 1 : threadIdx.x - 1;
  for (int k = 0; k < rounds; ++k) {
    ring[threadIdx.x] = value + k;
    __syncthreads();
    value = ring[from] * 3;
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
