// Linear equations by elimination with the largest pivot, which a kernel finds. Needs nothing beyond compute capability
// 1.0.
#include "program.h"

__global__ void find_pivot(const float* a, int* pivot, int n, int k) {
  int best = k;
  for (int i = k + 1; i < n; i++)
    if (fabsf(a[i * (n + 1) + k]) > fabsf(a[best * (n + 1) + k])) best = i;
  *pivot = best;
}
__global__ void swap_rows(float* a, const int* pivot, int n, int k) {
  int j = threadIdx.x;
  if (*pivot == k || j > n) return;
  float value = a[k * (n + 1) + j];
  a[k * (n + 1) + j] = a[*pivot * (n + 1) + j];
  a[*pivot * (n + 1) + j] = value;
}
__global__ void eliminate(float* a, int n, int k) {
  int i = blockIdx.x, j = threadIdx.x;
  if (i == k) return;
  float factor = a[i * (n + 1) + k] / a[k * (n + 1) + k];
  __syncthreads();
  if (j > k && j <= n) a[i * (n + 1) + j] -= factor * a[k * (n + 1) + j];
}

int main() {
  const int n = 24;
  std::vector<float> a(n * (n + 1)), solution(n);
  unsigned state = 47;
  for (float& x : solution) x = draw_float(state) * 4 - 2;
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++) sum += (a[i * (n + 1) + j] = draw_float(state) - (i == j ? 4 : 0.5f)) * (double)solution[j];
    a[i * (n + 1) + n] = sum;
  }
  Array<float> on_a(a);
  Array<int> pivot(1);
  for (int k = 0; k < n; k++) {
    find_pivot<<<1, 1>>>(on_a, pivot, n, k);
    swap_rows<<<1, n + 1>>>(on_a, pivot, n, k);
    eliminate<<<n, n + 1>>>(on_a, n, k);
  }
  a = on_a.get();
  std::vector<float> got(n);
  for (int i = 0; i < n; i++) got[i] = a[i * (n + 1) + n] / a[i * (n + 1) + i];
  return verdict("gaussian", differences(got, solution, 1e-4));
}
