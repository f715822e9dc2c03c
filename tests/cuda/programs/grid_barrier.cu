// A reduction in one cooperative launch, with barriers of the whole grid. Needs compute capability 6.0 (cooperative
// launches).
#include <cooperative_groups.h>

#include "program.h"

__global__ void reduce(int* values, int n) {
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  for (int half = n / 2; half > 0; half /= 2) {
    for (int i = grid.thread_rank(); i < half; i += grid.size()) values[i] += values[i + half];
    grid.sync();
  }
}

int main() {
  int n = 2048, sum = 0, can = 0;
  CHECK(cudaDeviceGetAttribute(&can, cudaDevAttrCooperativeLaunch, 0));
  if (!can) return std::printf("the device has no cooperative launches\n"), 1;
  std::vector<int> values(n);
  unsigned state = 73;
  for (int& value : values) sum += value = draw(state) % 1000;
  Array<int> on_device(values);
  void* arguments[] = {&on_device.data, &n};
  CHECK(cudaLaunchCooperativeKernel((const void*)reduce, dim3(4), dim3(128), arguments, 0, 0));
  int wrong = on_device.get()[0] != sum;
  wrong += cudaLaunchCooperativeKernel((const void*)reduce, dim3(100000), dim3(128), arguments, 0, 0) !=
           cudaErrorCooperativeLaunchTooLarge;
  cudaGetLastError();
  return verdict("grid_barrier", wrong);
}
