// Pi by throwing darts: a generator of random numbers in each thread, the same as the host's. Needs nothing beyond compute
// capability 1.0.
#include "program.h"

__host__ __device__ inline unsigned next(unsigned& state) { return state = state * 1664525u + 1013904223u; }
__host__ __device__ inline int hits(unsigned seed, int throws) {
  int inside = 0;
  unsigned state = seed * 2654435761u + 1;
  for (int i = 0; i < throws; i++) {
    unsigned x = next(state) >> 17, y = next(state) >> 17;
    inside += x * x + y * y < (1u << 30);
  }
  return inside;
}
__global__ void throw_darts(int* inside, int throws) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  inside[thread] = hits(thread, throws);
}

int main() {
  const int threads = 512, throws = 100;
  Array<int> inside(threads);
  throw_darts<<<threads / 64, 64>>>(inside, throws);
  std::vector<int> expected(threads);
  double sum = 0;
  for (int i = 0; i < threads; i++) sum += expected[i] = hits(i, throws);
  double pi = 4 * sum / (threads * throws);
  return verdict("monte_carlo", differences(inside.get(), expected) + !near(pi, 3.14159, 0.01));
}
