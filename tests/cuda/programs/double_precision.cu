// Cholesky's decomposition in double precision, a column per pair of launches. Needs compute capability 1.3 (double
// precision).
#include "program.h"

__global__ void column(double* a, int n, int k) {
  double root = sqrt(a[k * n + k]);
  __syncthreads();
  int i = k + 1 + threadIdx.x;
  if (i < n) a[i * n + k] /= root;
  if (threadIdx.x == 0) a[k * n + k] = root;
}
__global__ void rest(double* a, int n, int k) {
  int i = k + 1 + blockIdx.x, j = k + 1 + threadIdx.x;
  if (j <= i) a[i * n + j] -= a[i * n + k] * a[j * n + k];
}

int main() {
  const int n = 40;
  std::vector<double> lower(n * n, 0), product(n * n, 0);
  unsigned state = 29;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) lower[i * n + j] = i == j ? 2 + draw_float(state) : draw_float(state) - 0.5;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++) product[i * n + j] += lower[i * n + k] * lower[j * n + k];
  Array<double> a(product);
  for (int k = 0; k < n; k++) {
    column<<<1, 64>>>(a, n, k);
    if (k + 1 < n) rest<<<n - k - 1, n - k - 1>>>(a, n, k);
  }
  std::vector<double> got = a.get();
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++) got[i * n + j] = 0;
  return verdict("double_precision", differences(got, lower, 1e-10));
}
