// The error of many wrong calls, each as an H200 with CUDA 13.0 gave it. Needs nothing beyond compute capability 1.0.
#include "program.h"

__global__ void set(int* x, int value) { x[threadIdx.x] = value; }
__global__ void __launch_bounds__(64) bounded(int* x) { x[threadIdx.x] = 1; }
__constant__ int table[4];
__device__ int words[4];

/// A call gives an error, and the next cudaGetLastError, too.
int expect(cudaError_t got, cudaError_t expected, int line) {
  cudaError_t last = cudaGetLastError();
  if (got == expected && last == expected) return 0;
  std::printf("line %d: %s, then %s, not %s\n", line, cudaGetErrorName(got), cudaGetErrorName(last), cudaGetErrorName(expected));
  return 1;
}
#define EXPECT(error, call) wrong += expect(call, error, __LINE__)
#define EXPECT_LAST(error) wrong += expect(cudaPeekAtLastError(), error, __LINE__)

int main() {
  int wrong = 0, version;
  cudaRuntimeGetVersion(&version);
  // CUDA 12 and older tell such launches from others.
  cudaError_t launch_error = version < 13000 ? cudaErrorInvalidConfiguration : cudaErrorInvalidValue;
  int host[64], *x, *y, value;
  int* none = nullptr;
  size_t bytes, pitch;
  float ms;
  cudaStream_t stream, bad_stream = (cudaStream_t)host;
  cudaEvent_t event, other;
  cudaFuncAttributes attributes;
  cudaMalloc((void**)&x, 32 * sizeof(int));
  cudaMalloc((void**)&y, 32 * sizeof(int));
  cudaStreamCreate(&stream);
  cudaEventCreate(&event);
  cudaEventCreate(&other);
  set<<<1, 32>>>(x, 1);
  EXPECT_LAST(cudaSuccess);
  set<<<1, 1025>>>(x, 1);
  EXPECT_LAST(launch_error);
  set<<<1, 100000>>>(x, 1);
  EXPECT_LAST(launch_error);
  set<<<1, dim3(1, 1, 65)>>>(x, 1);
  EXPECT_LAST(launch_error);
  set<<<1, dim3(1, 1025, 1)>>>(x, 1);
  EXPECT_LAST(launch_error);
  set<<<1, 0>>>(x, 1);
  EXPECT_LAST(launch_error);
  set<<<0, 32>>>(x, 1);
  EXPECT_LAST(launch_error);
  set<<<dim3(1, 0, 1), 32>>>(x, 1);
  EXPECT_LAST(launch_error);
  set<<<dim3(1, 65536, 1), 32>>>(x, 1);
  EXPECT_LAST(launch_error);
  set<<<1, 32, 49153>>>(x, 1);
  EXPECT_LAST(cudaErrorInvalidValue);
  set<<<1, 32, 1 << 30>>>(x, 1);
  EXPECT_LAST(cudaErrorInvalidValue);
  set<<<1, 32, 0, bad_stream>>>(x, 1);
  EXPECT_LAST(cudaErrorInvalidResourceHandle);
  bounded<<<1, 65>>>(x);
  EXPECT_LAST(cudaErrorInvalidValue);
  EXPECT(cudaErrorMemoryAllocation, cudaMalloc((void**)&none, (size_t)1 << 60));
  EXPECT(cudaSuccess, cudaMalloc((void**)&none, 0));
  EXPECT(cudaErrorInvalidValue, cudaMalloc(nullptr, 16));
  EXPECT(cudaSuccess, cudaMallocPitch((void**)&none, &pitch, 0, 4));
  EXPECT(cudaSuccess, cudaMallocManaged((void**)&none, 0));
  EXPECT(cudaErrorInvalidValue, cudaMallocManaged((void**)&none, 16, 77));
  EXPECT(cudaSuccess, cudaHostAlloc((void**)&none, 0, 0));
  EXPECT(cudaErrorInvalidValue, cudaHostAlloc((void**)&none, 16, 4096));
  EXPECT(cudaSuccess, cudaFree(nullptr));
  EXPECT(cudaErrorInvalidValue, cudaFree(x + 1));
  EXPECT(cudaErrorInvalidValue, cudaFree(host));
  EXPECT(cudaSuccess, cudaFreeHost(nullptr));
  EXPECT(cudaErrorInvalidValue, cudaFreeHost(host));
  EXPECT(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(host));
  EXPECT(cudaErrorInvalidValue, cudaHostGetDevicePointer((void**)&none, host, 0));
  EXPECT(cudaErrorInvalidValue, cudaMemcpy(host, x, 64, cudaMemcpyHostToDevice));
  EXPECT(cudaErrorInvalidValue, cudaMemcpy(x, host, 64, cudaMemcpyDeviceToHost));
  EXPECT(cudaErrorInvalidValue, cudaMemcpy(x, host, 64, cudaMemcpyDeviceToDevice));
  EXPECT(cudaErrorInvalidValue, cudaMemcpy(host, host + 32, 64, cudaMemcpyDeviceToHost));
  EXPECT(cudaSuccess, cudaMemcpy(host, host + 32, 64, cudaMemcpyHostToHost));
  EXPECT(cudaErrorInvalidMemcpyDirection, cudaMemcpy(host, x, 64, (cudaMemcpyKind)77));
  EXPECT(cudaErrorInvalidValue, cudaMemcpy(host, x, 256, cudaMemcpyDeviceToHost));
  EXPECT(cudaErrorInvalidValue, cudaMemcpy(host, x + 16, 128, cudaMemcpyDeviceToHost));
  EXPECT(cudaErrorInvalidValue, cudaMemcpy(host, nullptr, 16, cudaMemcpyDeviceToHost));
  EXPECT(cudaErrorInvalidValue, cudaMemcpy(nullptr, x, 16, cudaMemcpyDeviceToHost));
  EXPECT(cudaSuccess, cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyDeviceToHost));
  EXPECT(cudaSuccess, cudaMemcpy(host, x, 0, cudaMemcpyDeviceToHost));
  EXPECT(cudaErrorInvalidResourceHandle, cudaMemcpyAsync(host, x, 64, cudaMemcpyDeviceToHost, bad_stream));
  EXPECT(cudaErrorInvalidPitchValue, cudaMemcpy2D(host, 4, x, 16, 16, 2, cudaMemcpyDeviceToHost));
  EXPECT(cudaErrorInvalidPitchValue, cudaMemcpy2D(host, 16, x, 8, 16, 2, cudaMemcpyDeviceToHost));
  EXPECT(cudaSuccess, cudaMemcpy2D(host, 16, x, 16, 0, 2, cudaMemcpyDeviceToHost));
  EXPECT(cudaErrorInvalidValue, cudaMemset(x + 1, 0, 128));
  EXPECT(cudaErrorInvalidValue, cudaMemset(host, 0, 16));
  EXPECT(cudaErrorInvalidValue, cudaMemset(nullptr, 0, 16));
  EXPECT(cudaSuccess, cudaMemset(x, 0, 0));
  EXPECT(cudaErrorInvalidValue, cudaMemset2D(x, 8, 0, 16, 2));
  EXPECT(cudaSuccess, cudaMemcpyToSymbol(table, host, 16));
  EXPECT(cudaErrorInvalidValue, cudaMemcpyToSymbol(table, host, 20));
  EXPECT(cudaErrorInvalidValue, cudaMemcpyToSymbol(table, host, 8, 12));
  EXPECT(cudaErrorInvalidMemcpyDirection, cudaMemcpyToSymbol(table, host, 16, 0, cudaMemcpyDeviceToHost));
  EXPECT(cudaErrorInvalidSymbol, cudaMemcpyToSymbol(host, host, 16));
  EXPECT(cudaErrorInvalidValue, cudaMemcpyFromSymbol(host, words, 20));
  EXPECT(cudaErrorInvalidMemcpyDirection, cudaMemcpyFromSymbol(host, words, 16, 0, cudaMemcpyHostToDevice));
  EXPECT(cudaSuccess, cudaGetSymbolAddress((void**)&none, table));
  EXPECT(cudaErrorInvalidSymbol, cudaGetSymbolAddress((void**)&none, host));
  EXPECT(cudaErrorInvalidSymbol, cudaGetSymbolSize(&bytes, host));
  EXPECT(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(bad_stream));
  EXPECT(cudaErrorInvalidResourceHandle, cudaStreamDestroy(bad_stream));
  EXPECT(cudaSuccess, cudaStreamQuery(stream));
  EXPECT(cudaErrorInvalidValue, cudaStreamCreateWithFlags(&stream, 77));
  EXPECT(cudaErrorInvalidResourceHandle, cudaEventRecord(event, bad_stream));
  EXPECT(cudaSuccess, cudaEventQuery(event));
  EXPECT(cudaSuccess, cudaEventSynchronize(event));
  EXPECT(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, event, other));
  EXPECT(cudaSuccess, cudaEventRecord(event, 0));
  EXPECT(cudaSuccess, cudaEventSynchronize(event));
  EXPECT(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, event, other));
  EXPECT(cudaSuccess, cudaEventDestroy(other));
  EXPECT(cudaErrorInvalidValue, cudaEventCreateWithFlags(&other, 77));
  EXPECT(cudaSuccess, cudaEventCreateWithFlags(&other, cudaEventDisableTiming));
  EXPECT(cudaSuccess, cudaEventRecord(other, 0));
  EXPECT(cudaSuccess, cudaEventSynchronize(other));
  EXPECT(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, event, other));
  EXPECT(cudaErrorInvalidDevice, cudaSetDevice(99));
  EXPECT(cudaErrorInvalidDevice, cudaSetDevice(-1));
  EXPECT(cudaErrorInvalidValue, cudaGetDevice(nullptr));
  EXPECT(cudaErrorInvalidValue, cudaGetDeviceCount(nullptr));
  EXPECT(cudaErrorInvalidValue, cudaDeviceGetAttribute(&value, (cudaDeviceAttr)9999, 0));
  EXPECT(cudaErrorInvalidDevice, cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 5));
  EXPECT(cudaErrorInvalidValue, cudaDeviceGetLimit(&bytes, (cudaLimit)99));
  EXPECT(cudaErrorInvalidValue, cudaDeviceSetLimit((cudaLimit)99, 1));
  EXPECT(cudaErrorInvalidResourceHandle, cudaFuncGetAttributes(&attributes, (const void*)host));
  EXPECT(cudaErrorInvalidValue, cudaFuncSetAttribute((const void*)set, (cudaFuncAttribute)99, 1));
  EXPECT(cudaErrorInvalidValue, cudaFuncSetAttribute((const void*)set, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 30));
  EXPECT(cudaErrorInvalidValue, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, (const void*)set, 0, 0));
  EXPECT(cudaSuccess, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, (const void*)set, 2000, 0));
  EXPECT(cudaErrorInvalidResourceHandle, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, (const void*)host, 32, 0));
  EXPECT(cudaErrorInvalidResourceHandle, cudaLaunchKernel((const void*)host, dim3(1), dim3(32), nullptr, 0, nullptr));
  EXPECT(cudaSuccess, cudaStreamDestroy(stream));
  EXPECT(cudaSuccess, cudaFree(y));
  EXPECT(cudaErrorInvalidValue, cudaFree(y));
  EXPECT(cudaErrorInvalidValue, cudaMemcpy(host, y, 16, cudaMemcpyDeviceToHost));
  return verdict("wrong_uses", wrong);
}
