// Prefix sums of many blocks: within blocks, over the blocks' sums, and added up. Needs nothing beyond compute capability
// 1.0.
#include "program.h"

const int kBlock = 256;

__global__ void scan_blocks(const int* in, int* out, int* sums, int n) {
  __shared__ int part[2][kBlock];
  int i = blockIdx.x * kBlock + threadIdx.x, now = 0;
  part[0][threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (int step = 1; step < kBlock; step *= 2, now ^= 1) {
    int value = part[now][threadIdx.x];
    if (threadIdx.x >= step) value += part[now][threadIdx.x - step];
    part[now ^ 1][threadIdx.x] = value;
    __syncthreads();
  }
  if (i < n) out[i] = part[now][threadIdx.x];
  if (threadIdx.x == kBlock - 1) sums[blockIdx.x] = part[now][threadIdx.x];
}
__global__ void add_sums(int* out, const int* sums, int n) {
  int i = blockIdx.x * kBlock + threadIdx.x;
  if (blockIdx.x > 0 && i < n) out[i] += sums[blockIdx.x - 1];
}

int main() {
  const int n = 12345, blocks = (n + kBlock - 1) / kBlock;
  std::vector<int> values(n), expected(n);
  unsigned state = 5;
  int sum = 0;
  for (int i = 0; i < n; i++) values[i] = draw(state) % 100, expected[i] = sum += values[i];
  Array<int> in(values), out(n), sums(blocks), total(1);
  scan_blocks<<<blocks, kBlock>>>(in, out, sums, n);
  scan_blocks<<<1, kBlock>>>(sums, sums, total, blocks);
  add_sums<<<blocks, kBlock>>>(out, sums, n);
  return verdict("scan", differences(out.get(), expected) + (total.get()[0] != sum));
}
