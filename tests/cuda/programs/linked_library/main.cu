// Device functions of another file, called by a kernel of this one. Needs nothing beyond compute capability 1.0. Made by
//   nvcc -ptx -arch=compute_75 -lineinfo -rdc=true main.cu -o main.ptx
// flags: -rdc=true
#include "../program.h"

__device__ int collatz(unsigned n);
__device__ float polynomial(float x, const float* coefficients, int count);

__global__ void compute(int* lengths, float* values, const float* coefficients) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  lengths[i] = collatz(i + 1);
  values[i] = polynomial(i * 0.01f, coefficients, 4);
}

int main() {
  const int n = 256;
  const std::vector<float> c{1, -2, 0.5f, 3};
  std::vector<int> lengths(n, 0);
  std::vector<double> values(n);
  for (int i = 0; i < n; i++) {
    for (unsigned m = i + 1; m != 1; m = m % 2 ? 3 * m + 1 : m / 2) lengths[i]++;
    double x = i * 0.01;
    values[i] = c[0] + x * (c[1] + x * (c[2] + x * c[3]));
  }
  Array<int> on_lengths(n);
  Array<float> on_values(n), on_c(c);
  compute<<<4, 64>>>(on_lengths, on_values, on_c);
  return verdict("linked_library", differences(on_lengths.get(), lengths) + differences(on_values.get(), values, 1e-5));
}
