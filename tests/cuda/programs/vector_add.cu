// Adds two vectors whose length is not a multiple of a block. Needs nothing beyond compute capability 1.0.
#include "program.h"

__global__ void add(const float* a, const float* b, float* sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] = a[i] + b[i];
}

int main() {
  const int n = 10007;
  std::vector<float> a(n), b(n), expected(n);
  unsigned state = 1;
  for (int i = 0; i < n; i++) a[i] = draw_float(state), b[i] = draw_float(state), expected[i] = a[i] + b[i];
  Array<float> on_a(a), on_b(b), sum(n);
  add<<<(n + 255) / 256, 256>>>(on_a, on_b, sum, n);
  CHECK(cudaGetLastError());
  return verdict("vector_add", differences(sum.get(), expected));
}
