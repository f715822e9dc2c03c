// A product of matrices by tiles in shared memory, with sizes that no tile divides. Needs nothing beyond compute
// capability 1.0.
#include "program.h"

const int kTile = 16;

__global__ void product(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float part_a[kTile][kTile], part_b[kTile][kTile];
  int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int at = 0; at < k; at += kTile) {
    int x = at + threadIdx.x, y = at + threadIdx.y;
    part_a[threadIdx.y][threadIdx.x] = row < m && x < k ? a[row * k + x] : 0;
    part_b[threadIdx.y][threadIdx.x] = y < k && column < n ? b[y * n + column] : 0;
    __syncthreads();
    for (int i = 0; i < kTile; i++) sum += part_a[threadIdx.y][i] * part_b[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}

int main() {
  const int m = 50, n = 70, k = 45;
  std::vector<float> a(m * k), b(k * n);
  std::vector<double> expected(m * n, 0);
  unsigned state = 9;
  for (float& x : a) x = draw_float(state) - 0.5f;
  for (float& x : b) x = draw_float(state) - 0.5f;
  for (int i = 0; i < m; i++)
    for (int l = 0; l < k; l++)
      for (int j = 0; j < n; j++) expected[i * n + j] += (double)a[i * k + l] * b[l * n + j];
  Array<float> on_a(a), on_b(b), c(m * n);
  product<<<dim3((n + kTile - 1) / kTile, (m + kTile - 1) / kTile), dim3(kTile, kTile)>>>(on_a, on_b, c, m, n, k);
  return verdict("matrix_product", differences(c.get(), expected, 1e-5));
}
