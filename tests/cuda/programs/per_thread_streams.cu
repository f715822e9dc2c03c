// Each thread of the host has a default stream of its own. Needs nothing beyond compute capability 1.0.
// flags: --default-stream per-thread
#include <atomic>
#include <thread>

#include "program.h"

__constant__ int factors[4];
__global__ void multiply(int* x, int which) { x[threadIdx.x] = x[threadIdx.x] * factors[which] + 1; }

void work(int number, std::atomic<int>* wrong) {
  int *x, got[64], factor = number + 2, back = 0;
  CHECK(cudaMalloc((void**)&x, sizeof got));
  CHECK(cudaMemsetAsync(x, 0, sizeof got));
  CHECK(cudaMemcpyToSymbol(factors, &factor, sizeof factor, number * sizeof factor));
  for (int round = 0; round < 4; round++) multiply<<<1, 64>>>(x, number);
  CHECK(cudaMemcpyAsync(got, x, sizeof got, cudaMemcpyDeviceToHost));
  CHECK(cudaStreamSynchronize(0));
  CHECK(cudaMemcpyFromSymbol(&back, factors, sizeof back, number * sizeof factor));
  int expected = 0;
  for (int round = 0; round < 4; round++) expected = expected * factor + 1;
  for (int value : got) *wrong += value != expected;
  *wrong += back != factor;
  CHECK(cudaFree(x));
}

int main() {
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; i++) threads.emplace_back(work, i, &wrong);
  for (std::thread& thread : threads) thread.join();
  return verdict("per_thread_streams", wrong);
}
