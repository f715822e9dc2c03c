// Sizes of launches by the occupancy functions and the attributes of kernels. Needs nothing beyond compute capability 1.0.
#include "program.h"

__global__ void scale(float* x, float by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= by;
}
__global__ void __launch_bounds__(128) bounded(float* x) {
  __shared__ float part[512];
  part[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = part[127 - threadIdx.x];
}

int main() {
  const int n = 5000;
  int wrong = 0, blocks = 0, with_shared = 0, grid = 0, block = 0;
  cudaDeviceProp device;
  cudaFuncAttributes attributes;
  CHECK(cudaGetDeviceProperties(&device, 0));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale, 64, 0));
  wrong += blocks < 1 || blocks * 64 > device.maxThreadsPerMultiProcessor;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&with_shared, scale, 64, device.sharedMemPerBlock / 2 - 1024));
  wrong += with_shared < 1 || with_shared > blocks;
  CHECK(cudaFuncGetAttributes(&attributes, bounded));
  wrong += attributes.sharedSizeBytes != 512 * sizeof(float) || attributes.maxThreadsPerBlock > 128;
  wrong += attributes.numRegs < 1 || attributes.localSizeBytes != 0 || attributes.ptxVersion < 10;
  CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, scale, 0, 0));
  wrong += block % device.warpSize != 0 || block > device.maxThreadsPerBlock || grid < device.multiProcessorCount;
  Array<float> x(std::vector<float>(n, 2));
  scale<<<(n + block - 1) / block, block>>>(x, 4, n);
  bounded<<<1, 128>>>(x);
  wrong += differences(x.get(), std::vector<float>(n, 8));
  bounded<<<1, 256>>>(x);  // more than it allows
  wrong += cudaGetLastError() == cudaSuccess;
  return verdict("occupancy", wrong);
}
