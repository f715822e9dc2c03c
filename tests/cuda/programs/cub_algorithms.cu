// CUB: reduction, prefix sums and radix sort of the device, and a reduction of a block (nvcc only). Needs compute
// capability 3.0 (shuffle).
#include <algorithm>
#include <cub/cub.cuh>

#include <program.h>  // without its command: no .ptx of these is kept

__global__ void reduce_blocks(const int* in, int* sums) {
  using Reduce = cub::BlockReduce<int, 128>;
  __shared__ typename Reduce::TempStorage room;
  int sum = Reduce(room).Sum(in[blockIdx.x * 128 + threadIdx.x]);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

template <class Call>
void with_room(Call call) {
  size_t bytes = 0;
  CHECK(call(nullptr, bytes));
  Array<char> room(bytes);
  CHECK(call(room.data, bytes));
}

int main() {
  const int n = 128 * 20;
  std::vector<int> values(n), sums(n), blocks(n / 128, 0);
  unsigned state = 59;
  int sum = 0;
  for (int i = 0; i < n; i++) {
    values[i] = draw(state) % 5000;
    sums[i] = sum;
    sum += values[i], blocks[i / 128] += values[i];
  }
  Array<int> in(values), out(n), total(1), of_blocks(n / 128), sorted(n);
  with_room([&](void* room, size_t& bytes) { return cub::DeviceReduce::Sum(room, bytes, in.data, total.data, n); });
  with_room([&](void* room, size_t& bytes) { return cub::DeviceScan::ExclusiveSum(room, bytes, in.data, out.data, n); });
  with_room([&](void* room, size_t& bytes) { return cub::DeviceRadixSort::SortKeys(room, bytes, in.data, sorted.data, n); });
  reduce_blocks<<<n / 128, 128>>>(in, of_blocks);
  std::sort(values.begin(), values.end());
  int wrong = differences(out.get(), sums) + differences(of_blocks.get(), blocks) + differences(sorted.get(), values);
  return verdict("cub_algorithms", wrong + (total.get()[0] != sum));
}
