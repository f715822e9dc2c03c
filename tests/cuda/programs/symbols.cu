// Variables of the module: constant and device arrays, copied whole and in part, by name and by address. Needs nothing
// beyond compute capability 1.0.
#include "program.h"

__constant__ float coefficients[8];
__constant__ int offset = 5;
__device__ int table[64];
__device__ float start = 1.5f;

__global__ void polynomial(float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = start + i * 0.01f, value = 0;
  for (int k = 7; k >= 0; k--) value = value * x + coefficients[k];
  y[i] = value + table[i % 64] + offset;
}
__global__ void fill() { table[threadIdx.x] = threadIdx.x * threadIdx.x; }

int main() {
  const int n = 1000;
  float c[8], begin = 0;
  int values[64], wrong = 0, five = 0;
  for (int k = 0; k < 8; k++) c[k] = 1.0f / (k + 1);
  CHECK(cudaMemcpyToSymbol(coefficients, c, sizeof c));
  c[2] = -3, c[3] = 0.25f;
  CHECK(cudaMemcpyToSymbol(coefficients, c + 2, 8, 8));
  CHECK(cudaMemcpyFromSymbol(&begin, start, sizeof begin));
  CHECK(cudaMemcpyFromSymbol(&five, offset, sizeof five));
  wrong += (begin != 1.5f) + (five != 5);
  fill<<<1, 64>>>();
  CHECK(cudaMemcpyFromSymbol(values, table, 16 * 4, 48 * 4));
  for (int i = 0; i < 16; i++) wrong += values[i] != (48 + i) * (48 + i);
  void* address;
  size_t size;
  CHECK(cudaGetSymbolAddress(&address, table));
  CHECK(cudaGetSymbolSize(&size, table));
  wrong += size != sizeof values;
  CHECK(cudaMemset(address, 0, 32 * 4));
  CHECK(cudaMemcpy(values, address, size, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 64; i++) wrong += values[i] != (i < 32 ? 0 : i * i);
  Array<float> y(n);
  polynomial<<<(n + 127) / 128, 128>>>(y, n);
  std::vector<double> expected(n);
  for (int i = 0; i < n; i++) {
    double x = 1.5 + i * 0.01, value = 0;
    for (int k = 7; k >= 0; k--) value = value * x + c[k];
    expected[i] = value + values[i % 64] + 5;
  }
  wrong += differences(y.get(), expected, 1e-4);
  wrong += cudaMemcpyToSymbol(coefficients, c, sizeof c, 4) == cudaSuccess;  // beyond its end
  cudaGetLastError();
  return verdict("symbols", wrong);
}
