// Printing and assertions in kernels. Needs compute capability 2.0 (the device's own runtime).
#include <cassert>

#include "program.h"

__global__ void say(const int* values, int n) {
  int i = threadIdx.x;
  assert(n > 0);
  if (i < n && i % 2 == 0) printf("thread %d: %d %5.2f %s %c %llx\n", i, values[i], values[i] / 4.0, "text", 'a' + i, 1ull << 40);
}

int main() {
  Array<int> values(std::vector<int>{5, 6, 7, 8, 9});
  say<<<1, 32>>>(values, 5);
  CHECK(cudaDeviceSynchronize());
  return verdict("device_printf", 0);
}
