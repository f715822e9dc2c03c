// Wrong use has CUDA's error codes, and the device goes on. Needs nothing beyond compute capability 1.0.
#include "program.h"

__global__ void set(int* x, int value) { x[threadIdx.x] = value; }

int expect(cudaError_t got, cudaError_t expected, const char* what) {
  if (got != expected) std::printf("%s: %s, not %s\n", what, cudaGetErrorName(got), cudaGetErrorName(expected));
  cudaGetLastError();
  return got != expected;
}
#define EXPECT(error, call) wrong += expect(call, error, #call)

int main() {
  int wrong = 0, host[32], version;
  cudaRuntimeGetVersion(&version);
  cudaError_t launch_error = version < 13000 ? cudaErrorInvalidConfiguration : cudaErrorInvalidValue;
  int* huge = nullptr;
  Array<int> x(32);
  set<<<1, 32>>>(x, 5);
  EXPECT(cudaSuccess, cudaGetLastError());
  set<<<1, 100000>>>(x, 6);
  wrong += cudaPeekAtLastError() != launch_error;
  EXPECT(launch_error, cudaGetLastError());
  EXPECT(cudaSuccess, cudaGetLastError());
  set<<<0, 32>>>(x, 6);
  EXPECT(launch_error, cudaGetLastError());
  EXPECT(cudaErrorInvalidValue, cudaMemcpy(host, x, sizeof host, cudaMemcpyHostToDevice));
  EXPECT(cudaErrorInvalidMemcpyDirection, cudaMemcpy(host, x, sizeof host, (cudaMemcpyKind)77));
  EXPECT(cudaErrorInvalidValue, cudaMemcpy(host, x + 16, sizeof host, cudaMemcpyDeviceToHost));
  EXPECT(cudaErrorInvalidPitchValue, cudaMemcpy2D(host, 4, x, 16, 16, 2, cudaMemcpyDeviceToHost));
  EXPECT(cudaErrorMemoryAllocation, cudaMalloc((void**)&huge, (size_t)1 << 60));
  EXPECT(cudaErrorInvalidValue, cudaFree(host));
  EXPECT(cudaSuccess, cudaMallocManaged((void**)&huge, 0));
  EXPECT(cudaErrorInvalidResourceHandle, cudaStreamSynchronize((cudaStream_t)host));
  EXPECT(cudaErrorInvalidDevice, cudaSetDevice(99));
  EXPECT(cudaErrorInvalidValue, cudaMemset(x + 1, 0, sizeof host));
  wrong += std::strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory") != 0;
  wrong += std::strcmp(cudaGetErrorName(cudaErrorNotReady), "cudaErrorNotReady") != 0;
  wrong += differences(x.get(), std::vector<int>(32, 5));
  return verdict("errors", wrong);
}
