// Atomic operations of global memory: every kind, a lock, and a sum of floats by comparison. Needs compute capability 2.0
// (atomics of global memory, floats among them).
#include "program.h"

__device__ float add_by_comparison(float* at, float value) {
  int* as_int = (int*)at;
  int before = *as_int, seen;
  while (true) {
    seen = atomicCAS(as_int, before, __float_as_int(value + __int_as_float(before)));
    if (seen == before) return __int_as_float(before);
    before = seen;
  }
}
__global__ void all(int* r, float* sums, unsigned long long* wide, int* lock, int* guarded) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&r[0], i);
  atomicSub(&r[1], 2);
  atomicMin(&r[2], 1000 - i);
  atomicMax(&r[3], i * 3);
  atomicAnd(&r[4], ~(1 << i % 16));
  atomicOr(&r[5], 1 << i % 20);
  atomicXor(&r[6], i);
  atomicInc((unsigned*)&r[7], 9);
  atomicExch(&r[8], 77);
  atomicAdd(&sums[0], 0.5f);
  add_by_comparison(&sums[1], 0.25f);
  atomicAdd(wide, 1ull << 33);
  if (threadIdx.x == 0) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    int value = *(volatile int*)guarded;
    *(volatile int*)guarded = value * 2 + 1;
    __threadfence();
    atomicExch(lock, 0);
  }
}

int main() {
  const int blocks = 4, n = 256;
  std::vector<int> start{0, 1000, 5000, -1, 0xfffff, 0, 0, 0, 0}, expected(start);
  for (int i = 0; i < n; i++) {
    expected[0] += i, expected[1] -= 2, expected[4] &= ~(1 << i % 16), expected[5] |= 1 << i % 20, expected[6] ^= i;
    expected[2] = std::min(expected[2], 1000 - i), expected[3] = std::max(expected[3], i * 3);
    expected[7] = expected[7] >= 9 ? 0 : expected[7] + 1;
  }
  expected[8] = 77;
  Array<int> r(start), lock(std::vector<int>{0, 0});
  Array<float> sums(std::vector<float>{0, 0});
  Array<unsigned long long> wide(std::vector<unsigned long long>{0});
  all<<<blocks, n / blocks>>>(r, sums, wide, lock, lock + 1);
  int wrong = differences(r.get(), expected) + differences(sums.get(), std::vector<float>{n / 2, n / 4});
  wrong += differences(wide.get(), std::vector<unsigned long long>{256ull << 33}) + (lock.get()[1] != (1 << blocks) - 1);
  return verdict("atomics", wrong);
}
