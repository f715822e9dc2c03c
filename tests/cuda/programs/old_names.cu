// Names of older CUDA versions, by cuda-compat.h. Needs nothing beyond compute capability 1.0; where there are shuffles, one
// without a mask.
#include "../../../src/cuda/compat/cuda-compat.h"
#include "program.h"

__global__ void twice(int* x) { x[threadIdx.x] *= 2; }
__global__ void sum_of_warp(int* x) {
  int value = x[threadIdx.x];
  for (int half = 16; half > 0; half /= 2) value += __shfl_down(value, half);
  if (__all(threadIdx.x < 32) && threadIdx.x == 0) x[0] = value;
}

int main() {
  cudaDeviceProp device;
  int *x, wrong = 0;
  CHECK(cudaGetDeviceProperties(&device, 0));
  wrong += device.clockRate <= 0 || device.warpSize != 32 || device.memoryClockRate <= 0;
  CHECK(cudaMallocManaged((void**)&x, 32 * sizeof(int)));
  for (int i = 0; i < 32; i++) x[i] = i;
  CHECK(cudaMemAdvise(x, 32 * sizeof(int), cudaMemAdviseSetReadMostly, 0));
  CHECK(cudaMemPrefetchAsync(x, 32 * sizeof(int), 0));
  twice<<<1, 32>>>(x);
  CHECK(cudaMemPrefetchAsync(x, 32 * sizeof(int), cudaCpuDeviceId, 0));
  CHECK(cudaThreadSynchronize());
  for (int i = 0; i < 32; i++) wrong += x[i] != 2 * i;
  if (device.major >= 3) {
    sum_of_warp<<<1, 32>>>(x);
    CHECK(cudaThreadSynchronize());
    wrong += x[0] != 31 * 32;
  }
  CHECK(cudaThreadExit());
  return verdict("old_names", wrong);
}
