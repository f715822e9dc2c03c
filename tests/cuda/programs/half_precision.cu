// Half precision: conversions, pairs and fused products. Needs compute capability 5.3 (half precision).
#include <cuda_fp16.h>

#include "program.h"

__global__ void axpy(const float* x, float* y, float a, int n) {
  int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  __half2 pair = __floats2half2_rn(x[i], x[i + 1]), sum = __floats2half2_rn(y[i], y[i + 1]);
  sum = __hfma2(__float2half2_rn(a), pair, sum);
  __half low = __low2half(sum), high = __hadd(__high2half(sum), __float2half(1));
  y[i] = __half2float(low);
  y[i + 1] = __hgt(high, low) ? __half2float(high) : -__half2float(high);
}

int main() {
  const int n = 512;
  std::vector<float> x(n), y(n), expected(n);
  for (int i = 0; i < n; i++) x[i] = i % 16, y[i] = i % 5 - 2;
  for (int i = 0; i < n; i += 2) {
    expected[i] = 0.5f * x[i] + y[i];
    float high = 0.5f * x[i + 1] + y[i + 1] + 1;
    expected[i + 1] = high > expected[i] ? high : -high;
  }
  Array<float> on_x(x), on_y(y);
  axpy<<<n / 128, 64>>>(on_x, on_y, 0.5f, n);
  return verdict("half_precision", differences(on_y.get(), expected));
}
