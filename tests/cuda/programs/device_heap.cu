// Memory that kernels allocate and free, used by a later kernel. Needs compute capability 2.0 (the device's own runtime).
#include "program.h"

__global__ void build(int** lists) {
  int n = threadIdx.x + 1;
  int* list = (int*)malloc(n * sizeof(int));
  for (int i = 0; list != nullptr && i < n; i++) list[i] = i * n;
  lists[threadIdx.x] = list;
}
__global__ void sum_up(int** lists, int* sums) {
  int sum = 0;
  if (lists[threadIdx.x] == nullptr) return;
  for (int i = 0; i <= threadIdx.x; i++) sum += lists[threadIdx.x][i];
  free(lists[threadIdx.x]);
  sums[threadIdx.x] = sum;
}

int main() {
  const int threads = 64;
  Array<int*> lists(threads);
  Array<int> sums(std::vector<int>(threads, -1));
  CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20));
  build<<<1, threads>>>(lists);
  sum_up<<<1, threads>>>(lists, sums);
  std::vector<int> expected(threads);
  for (int n = 1; n <= threads; n++) expected[n - 1] = n * n * (n - 1) / 2;
  return verdict("device_heap", differences(sums.get(), expected));
}
