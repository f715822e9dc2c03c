// Functions of mathematics in single precision beside the host's in double. Needs compute capability 1.3 (double precision,
// in which large angles are reduced).
#include "program.h"

enum { kSin, kCos, kTan, kExp, kExp2, kLog, kLog10, kSqrt, kCbrt, kPow, kAtan2, kSinh, kErf, kFmod, kFloor, kHypot, kLgamma, kFunctions };

template <class T>
__host__ __device__ inline T compute(int function, T x, T y) {
  switch (function) {
    case kSin: return sin(x);
    case kCos: return cos(x);
    case kTan: return tan(x);
    case kExp: return exp(x / 8);
    case kExp2: return exp2(x / 8);
    case kLog: return log(x);
    case kLog10: return log10(x);
    case kSqrt: return sqrt(x);
    case kCbrt: return cbrt(x);
    case kPow: return pow(x, y / 16);
    case kAtan2: return atan2(y, x - 10);
    case kSinh: return sinh(x / 8);
    case kErf: return erf(x / 10);
    case kFmod: return fmod(x * 3, y);
    case kFloor: return floor(x) + ceil(y) * 2 + trunc(-x) + round(y);
    case kHypot: return hypot(x, y);
    default: return lgamma(y);
  }
}
__global__ void all(const float* x, const float* y, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[blockIdx.y * n + i] = compute<float>(blockIdx.y, x[i], y[i]);
}

int main() {
  const int n = 128;
  std::vector<float> x(n), y(n);
  std::vector<double> expected(kFunctions * n);
  unsigned state = 37;
  for (int i = 0; i < n; i++) x[i] = 0.1f + 20 * draw_float(state), y[i] = 0.5f + 15 * draw_float(state);
  for (int f = 0; f < kFunctions; f++)
    for (int i = 0; i < n; i++) expected[f * n + i] = compute<double>(f, x[i], y[i]);
  Array<float> on_x(x), on_y(y), out(kFunctions * n);
  all<<<dim3(n / 64, kFunctions), 64>>>(on_x, on_y, out, n);
  return verdict("math_functions", differences(out.get(), expected, 2e-4));
}
