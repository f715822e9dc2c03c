// A kernel that faults, the error in every call after it, and a new start by cudaDeviceReset. Needs nothing beyond
// compute capability 1.0.
#include "program.h"

__global__ void set(int* x, long long offset) { x[offset + threadIdx.x] = threadIdx.x; }

int main() {
  int *x, wrong = 0, got[32];
  CHECK(cudaMalloc((void**)&x, sizeof got));
  set<<<1, 32>>>(x, 1ll << 40);
  wrong += cudaDeviceSynchronize() != cudaErrorIllegalAddress;
  wrong += cudaMemcpy(got, x, sizeof got, cudaMemcpyDeviceToHost) != cudaErrorIllegalAddress;
  wrong += cudaGetLastError() != cudaErrorIllegalAddress;
  CHECK(cudaDeviceReset());
  CHECK(cudaMalloc((void**)&x, sizeof got));
  set<<<1, 32>>>(x, 0);
  CHECK(cudaMemcpy(got, x, sizeof got, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; i++) wrong += got[i] != i;
  return verdict("reset", wrong);
}
