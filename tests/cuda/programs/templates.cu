// Kernels as templates over types, numbers and operations. Needs nothing beyond compute capability 1.0.
#include "program.h"

struct Add {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const { return a + b; }
};
struct Least {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const { return a < b ? a : b; }
};
template <int kPower>
struct Power {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    for (int i = 1; i < kPower; i++) a = a * b;
    return a;
  }
};

template <class T, class Operation>
__global__ void combine(const T* a, const T* b, T* out, int n, Operation operation) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = operation(a[i], b[i]);
}

template <class T, class Operation>
int test(Operation operation) {
  const int n = 777;
  std::vector<T> a(n), b(n), expected(n);
  for (int i = 0; i < n; i++) a[i] = T(i % 50), b[i] = T(i * 3 % 40), expected[i] = operation(a[i], b[i]);
  Array<T> on_a(a), on_b(b), out(n);
  combine<T, Operation><<<4, 96>>>(on_a, on_b, out, n, operation);
  return differences(out.get(), expected);
}

int main() {
  int wrong = test<int>(Add()) + test<float>(Add()) + test<unsigned char>(Add()) + test<long long>(Add());
  wrong += test<short>(Least()) + test<float>(Least()) + test<unsigned>(Power<3>()) + test<float>(Power<2>());
  return verdict("templates", wrong);
}
