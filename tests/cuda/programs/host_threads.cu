// Threads of the host, each with a stream and memory of its own; errors are of the thread that made them. Needs nothing
// beyond compute capability 1.0.
#include <atomic>
#include <thread>

#include "program.h"

__global__ void triple(int* x) { x[blockIdx.x * blockDim.x + threadIdx.x] *= 3; }

void work(int number, std::atomic<int>* wrong) {
  const int n = 256;
  std::vector<int> values(n), expected(n);
  for (int i = 0; i < n; i++) values[i] = i + number * 1000, expected[i] = values[i] * 27;
  cudaStream_t stream;
  CHECK(cudaSetDevice(0));
  CHECK(cudaStreamCreate(&stream));
  Array<int> x(values);
  for (int round = 0; round < 3; round++) triple<<<2, n / 2, 0, stream>>>(x);
  CHECK(cudaStreamSynchronize(stream));
  if (number == 2 && cudaFree(&stream) == cudaSuccess) ++*wrong;
  *wrong += cudaGetLastError() != (number == 2 ? cudaErrorInvalidValue : cudaSuccess);
  *wrong += differences(x.get(), expected);
  CHECK(cudaStreamDestroy(stream));
}

int main() {
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; i++) threads.emplace_back(work, i, &wrong);
  for (std::thread& thread : threads) thread.join();
  return verdict("host_threads", wrong);
}
