// Bitonic sorting of keys with values: large steps by a launch each, small ones in shared memory. Needs nothing beyond
// compute capability 1.0.
#include <algorithm>

#include "program.h"

const int kBlock = 256;

__device__ void order(unsigned& key_a, unsigned& a, unsigned& key_b, unsigned& b, bool up) {
  if ((key_a > key_b) != up) return;
  unsigned key = key_a, value = a;
  key_a = key_b, a = b;
  key_b = key, b = value;
}
__global__ void far_step(unsigned* keys, unsigned* values, int size, int distance) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ distance;
  if (other > i) order(keys[i], values[i], keys[other], values[other], (i & size) == 0);
}
__global__ void near_steps(unsigned* keys, unsigned* values, int size, int distance) {
  __shared__ unsigned key[kBlock], value[kBlock];
  int i = blockIdx.x * kBlock + threadIdx.x, t = threadIdx.x;
  key[t] = keys[i], value[t] = values[i];
  for (; distance > 0; distance /= 2) {
    __syncthreads();
    if ((t ^ distance) > t) order(key[t], value[t], key[t ^ distance], value[t ^ distance], (i & size) == 0);
  }
  __syncthreads();
  keys[i] = key[t], values[i] = value[t];
}

int main() {
  const int n = 2048;
  std::vector<unsigned> keys(n), values(n);
  unsigned state = 99;
  for (int i = 0; i < n; i++) keys[i] = draw(state), values[i] = keys[i] ^ 0x5555;
  Array<unsigned> on_keys(keys), on_values(values);
  for (int size = 2; size <= n; size *= 2) {
    int distance = size / 2;
    for (; distance >= kBlock; distance /= 2) far_step<<<n / kBlock, kBlock>>>(on_keys, on_values, size, distance);
    near_steps<<<n / kBlock, kBlock>>>(on_keys, on_values, size, distance);
  }
  std::sort(keys.begin(), keys.end());
  for (int i = 0; i < n; i++) values[i] = keys[i] ^ 0x5555;
  return verdict("bitonic_sort", differences(on_keys.get(), keys) + differences(on_values.get(), values));
}
