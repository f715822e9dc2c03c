// A histogram of bytes by atomic additions, in shared memory first. Needs compute capability 1.2 (atomics of shared and
// global memory).
#include "program.h"

__global__ void histogram(const unsigned char* data, int n, unsigned* bins) {
  __shared__ unsigned part[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) part[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) atomicAdd(&part[data[i]], 1);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    if (part[i] != 0) atomicAdd(&bins[i], part[i]);
}

int main() {
  const int n = 30000;
  std::vector<unsigned char> data(n);
  std::vector<unsigned> expected(256, 0);
  unsigned state = 3;
  for (auto& byte : data) expected[byte = draw(state) & draw(state)]++;
  Array<unsigned char> on_device(data);
  Array<unsigned> bins(std::vector<unsigned>(256, 0));
  histogram<<<12, 192>>>(on_device, n, bins);
  return verdict("histogram", differences(bins.get(), expected));
}
