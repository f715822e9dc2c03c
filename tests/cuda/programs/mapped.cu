// Page-locked memory of the host that kernels read and write by themselves. Needs nothing beyond compute capability 1.0.
#include "program.h"

__global__ void prefix(const int* in, int* out, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) out[i] = sum += in[i];
}

int main() {
  const int n = 200;
  int *in, *out, *in_device, *out_device, wrong = 0, sum = 0;
  unsigned flags;
  CHECK(cudaSetDeviceFlags(cudaDeviceMapHost));
  CHECK(cudaHostAlloc((void**)&in, n * 4, cudaHostAllocMapped | cudaHostAllocWriteCombined));
  CHECK(cudaHostAlloc((void**)&out, n * 4, cudaHostAllocMapped));
  CHECK(cudaHostGetDevicePointer((void**)&in_device, in, 0));
  CHECK(cudaHostGetDevicePointer((void**)&out_device, out, 0));
  CHECK(cudaHostGetFlags(&flags, out));
  wrong += (flags & cudaHostAllocMapped) == 0;
  for (int i = 0; i < n; i++) in[i] = i ^ 5, out[i] = 0;
  prefix<<<1, 1>>>(in_device, out_device, n);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++) wrong += out[i] != (sum += i ^ 5);
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, out));
  wrong += attributes.type != cudaMemoryTypeHost;
  // Memory of the program's own, registered for fast copies.
  std::vector<int> own(n, 3);
  CHECK(cudaHostRegister(own.data(), n * 4, cudaHostRegisterDefault));
  Array<int> a(n);
  CHECK(cudaMemcpyAsync(a, own.data(), n * 4, cudaMemcpyHostToDevice, 0));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaHostUnregister(own.data()));
  wrong += differences(a.get(), own);
  CHECK(cudaFreeHost(in));
  CHECK(cudaFreeHost(out));
  return verdict("mapped", wrong);
}
