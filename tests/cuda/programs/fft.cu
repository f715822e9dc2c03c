// A Fourier transform (radix 2, Stockham) in shared memory, and back. Needs nothing beyond compute capability 1.0.
#include "program.h"

const int kSize = 256;

__global__ void fft(const float2* in, float2* out, float direction) {
  __shared__ float2 data[2][kSize];
  int t = threadIdx.x, now = 0;
  in += blockIdx.x * kSize, out += blockIdx.x * kSize;
  data[0][t] = in[t], data[0][t + kSize / 2] = in[t + kSize / 2];
  __syncthreads();
  for (int half = kSize / 2, stride = 1; half >= 1; half /= 2, stride *= 2, now ^= 1) {
    int block = t / stride, at = t % stride;
    float2 a = data[now][t], b = data[now][t + kSize / 2], w;
    __sincosf(direction * 3.14159265f * block / half, &w.y, &w.x);
    float2 difference = make_float2(a.x - b.x, a.y - b.y);
    data[now ^ 1][at + stride * 2 * block] = make_float2(a.x + b.x, a.y + b.y);
    data[now ^ 1][at + stride * (2 * block + 1)] =
        make_float2(difference.x * w.x - difference.y * w.y, difference.x * w.y + difference.y * w.x);
    __syncthreads();
  }
  out[t] = data[now][t], out[t + kSize / 2] = data[now][t + kSize / 2];
}

int main() {
  const int signals = 3;
  std::vector<float2> values(signals * kSize);
  unsigned state = 61;
  for (float2& v : values) v = make_float2(draw_float(state), draw_float(state));
  Array<float2> in(values), spectrum(values.size()), back(values.size());
  fft<<<signals, kSize / 2>>>(in, spectrum, -1);
  fft<<<signals, kSize / 2>>>(spectrum, back, 1);
  std::vector<float2> got = spectrum.get(), again = back.get();
  int wrong = 0;
  for (int s = 0; s < signals; s++)
    for (int k = 0; k < kSize; k++) {
      double x = 0, y = 0;
      for (int i = 0; i < kSize; i++) {
        double angle = -2 * 3.14159265358979 * i * k / kSize, c = std::cos(angle), d = std::sin(angle);
        const float2 v = values[s * kSize + i];
        x += v.x * c - v.y * d, y += v.x * d + v.y * c;
      }
      wrong += !near(got[s * kSize + k].x, x, 2e-3) + !near(got[s * kSize + k].y, y, 2e-3);
      wrong += !near(again[s * kSize + k].x / kSize, values[s * kSize + k].x, 2e-4);
    }
  return verdict("fft", wrong);
}
