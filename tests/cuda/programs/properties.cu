// The device's properties beside its attributes, limits and memory. Needs nothing beyond compute capability 1.0.
#include "program.h"

__global__ void count_threads(int* total) { total[blockIdx.x * blockDim.x + threadIdx.x] = gridDim.x * blockDim.x; }

int main() {
  int devices = 0, wrong = 0, value = 0, device = -1;
  cudaDeviceProp p;
  CHECK(cudaGetDeviceCount(&devices));
  CHECK(cudaSetDevice(0));
  CHECK(cudaGetDevice(&device));
  CHECK(cudaGetDeviceProperties(&p, device));
  wrong += devices != 1 || device != 0 || p.name[0] == 0;
  const struct {
    cudaDeviceAttr attribute;
    long value;
  } rows[] = {{cudaDevAttrMaxThreadsPerBlock, p.maxThreadsPerBlock},
              {cudaDevAttrMaxBlockDimX, p.maxThreadsDim[0]},
              {cudaDevAttrMaxGridDimX, p.maxGridSize[0]},
              {cudaDevAttrMaxSharedMemoryPerBlock, (long)p.sharedMemPerBlock},
              {cudaDevAttrTotalConstantMemory, (long)p.totalConstMem},
              {cudaDevAttrWarpSize, p.warpSize},
              {cudaDevAttrMaxRegistersPerBlock, p.regsPerBlock},
              {cudaDevAttrMultiProcessorCount, p.multiProcessorCount},
              {cudaDevAttrComputeCapabilityMajor, p.major},
              {cudaDevAttrComputeCapabilityMinor, p.minor},
              {cudaDevAttrMaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor}};
  for (const auto& row : rows) {
    CHECK(cudaDeviceGetAttribute(&value, row.attribute, device));
    wrong += value != row.value || value < 0;
  }
  size_t available, total, after;
  CHECK(cudaMemGetInfo(&available, &total));
  wrong += total != p.totalGlobalMem || available > total;
  Array<int> threads((size_t)p.maxThreadsPerBlock * 2);
  CHECK(cudaMemGetInfo(&after, &total));
  wrong += after >= available;
  count_threads<<<2, p.maxThreadsPerBlock>>>(threads);
  wrong += differences(threads.get(), std::vector<int>(p.maxThreadsPerBlock * 2, p.maxThreadsPerBlock * 2));
  int driver, runtime;
  CHECK(cudaDriverGetVersion(&driver));
  CHECK(cudaRuntimeGetVersion(&runtime));
  wrong += driver < runtime;
  wrong += cudaSetDevice(1) != cudaErrorInvalidDevice || cudaGetLastError() != cudaErrorInvalidDevice;
  size_t limit;
  CHECK(cudaDeviceGetLimit(&limit, cudaLimitPrintfFifoSize));
  return verdict("properties", wrong);
}
