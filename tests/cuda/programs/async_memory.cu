// Memory allocated and freed in the order of a stream. Needs nothing beyond compute capability 1.0.
#include "program.h"

__global__ void fill(int* x, int value) { x[blockIdx.x * blockDim.x + threadIdx.x] = value; }
__global__ void add(const int* x, int* sum) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  sum[i] += x[i];
}

int main() {
  const int n = 512, rounds = 5;
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  int *sum, *part;
  CHECK(cudaMallocAsync((void**)&sum, n * sizeof(int), stream));
  CHECK(cudaMemsetAsync(sum, 0, n * sizeof(int), stream));
  for (int round = 1; round <= rounds; round++) {
    CHECK(cudaMallocAsync((void**)&part, n * sizeof(int), stream));
    fill<<<4, n / 4, 0, stream>>>(part, round);
    add<<<4, n / 4, 0, stream>>>(part, sum);
    CHECK(cudaFreeAsync(part, stream));
  }
  std::vector<int> got(n);
  CHECK(cudaMemcpyAsync(got.data(), sum, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaFreeAsync(sum, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaStreamDestroy(stream));
  return verdict("async_memory", differences(got, std::vector<int>(n, rounds * (rounds + 1) / 2)));
}
