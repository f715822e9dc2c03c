// A separable filter with its weights in constant memory and rows in dynamic shared memory. Needs nothing beyond compute
// capability 1.0.
#include "program.h"

const int kRadius = 4;
__constant__ float weights[2 * kRadius + 1];

__global__ void filter(const float* in, float* out, int length, int step, int line) {
  extern __shared__ float row[];
  const float* from = in + blockIdx.x * line;
  for (int i = threadIdx.x; i < length + 2 * kRadius; i += blockDim.x) {
    int at = min(max(i - kRadius, 0), length - 1);
    row[i] = from[at * step];
  }
  __syncthreads();
  for (int i = threadIdx.x; i < length; i += blockDim.x) {
    float sum = 0;
    for (int k = 0; k <= 2 * kRadius; k++) sum += weights[k] * row[i + k];
    out[blockIdx.x * line + i * step] = sum;
  }
}

std::vector<float> by_host(const std::vector<float>& in, const float* w, int lines, int length, int step, int line) {
  std::vector<float> out(in.size());
  for (int l = 0; l < lines; l++)
    for (int i = 0; i < length; i++)
      for (int k = -kRadius; k <= kRadius; k++) {
        int at = i + k < 0 ? 0 : i + k >= length ? length - 1 : i + k;
        out[l * line + i * step] += w[k + kRadius] * in[l * line + at * step];
      }
  return out;
}

int main() {
  const int width = 80, height = 40;
  std::vector<float> image(width * height);
  unsigned state = 19;
  for (float& pixel : image) pixel = draw_float(state);
  float w[2 * kRadius + 1];
  for (int k = 0; k <= 2 * kRadius; k++) w[k] = 1.0f / (1 + std::abs(k - kRadius));
  CHECK(cudaMemcpyToSymbol(weights, w, sizeof w));
  CHECK(cudaFuncSetCacheConfig(filter, cudaFuncCachePreferShared));
  Array<float> in(image), rows(image.size()), out(image.size());
  filter<<<height, 64, (width + 2 * kRadius) * sizeof(float)>>>(in, rows, width, 1, width);
  filter<<<width, 32, (height + 2 * kRadius) * sizeof(float)>>>(rows, out, height, width, 1);
  std::vector<float> expected = by_host(by_host(image, w, height, width, 1, width), w, width, height, width, 1);
  return verdict("convolution", differences(out.get(), expected, 1e-5));
}
