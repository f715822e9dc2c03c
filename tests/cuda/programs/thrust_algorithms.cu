// Thrust: sort, reduce, scan, transform, and sorting by key (nvcc only). Needs compute capability 3.0 (shuffle).
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

#include <algorithm>
#include <numeric>

#include <program.h>  // without its command: no .ptx of these is kept

struct Affine {
  float a, b;
  __host__ __device__ float operator()(float x) const { return a * x + b; }
};

int main() {
  const int n = 3000;
  std::vector<int> keys(n), values(n);
  unsigned state = 53;
  for (int i = 0; i < n; i++) keys[i] = draw(state) % 100000, values[i] = i;
  thrust::device_vector<int> on_keys(keys.begin(), keys.end()), sorted(on_keys), on_values(n), sums(n);
  thrust::sequence(on_values.begin(), on_values.end());
  int sum = thrust::reduce(on_keys.begin(), on_keys.end()), wrong = sum != std::accumulate(keys.begin(), keys.end(), 0);
  thrust::inclusive_scan(on_keys.begin(), on_keys.end(), sums.begin());
  wrong += sums.back() != sum;
  thrust::sort(sorted.begin(), sorted.end(), thrust::greater<int>());
  thrust::stable_sort_by_key(on_keys.begin(), on_keys.end(), on_values.begin());
  thrust::device_vector<float> x(n, 2.0f), y(n);
  thrust::transform(x.begin(), x.end(), y.begin(), Affine{3, 1});
  std::vector<int> got(n), order(n);
  thrust::copy(sorted.begin(), sorted.end(), got.begin());
  thrust::copy(on_values.begin(), on_values.end(), order.begin());
  std::stable_sort(values.begin(), values.end(), [&](int a, int b) { return keys[a] < keys[b]; });
  std::sort(keys.begin(), keys.end(), std::greater<int>());
  wrong += differences(got, keys) + differences(order, values) + (y[n - 1] != 7.0f);
  return verdict("thrust_algorithms", wrong);
}
