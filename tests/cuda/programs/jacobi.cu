// Heat on a plate by Jacobi's method until it hardly changes; the host reads the change after every few steps. Needs
// nothing beyond compute capability 1.0.
#include "program.h"

const int kSize = 34;

__global__ void step(const float* from, float* to, float* change) {
  __shared__ float most[64];
  int x = blockIdx.x * 8 + threadIdx.x + 1, y = blockIdx.y * 8 + threadIdx.y + 1, at = y * kSize + x;
  int thread = threadIdx.y * 8 + threadIdx.x;
  float value = 0.25f * (from[at - 1] + from[at + 1] + from[at - kSize] + from[at + kSize]);
  to[at] = value;
  most[thread] = fabsf(value - from[at]);
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (thread < half) most[thread] = fmaxf(most[thread], most[thread + half]);
    __syncthreads();
  }
  if (thread == 0) change[blockIdx.y * gridDim.x + blockIdx.x] = most[0];
}

int main() {
  std::vector<float> plate(kSize * kSize, 0);
  for (int i = 0; i < kSize; i++) plate[i] = 1;
  Array<float> a(plate), b(plate), change(16);
  int steps = 0, host_steps = 0;
  float most = 1;
  while (most > 5e-3f && steps < 1000) {
    for (int i = 0; i < 5; i++, steps += 2) {
      step<<<dim3(4, 4), dim3(8, 8)>>>(a, b, change);
      step<<<dim3(4, 4), dim3(8, 8)>>>(b, a, change);
    }
    most = 0;
    for (float value : change.get()) most = std::fmax(most, value);
  }
  std::vector<float> next = plate;
  for (most = 1; host_steps < steps; host_steps++) {
    for (int y = 1; y < kSize - 1; y++)
      for (int x = 1; x < kSize - 1; x++) {
        int at = y * kSize + x;
        next[at] = 0.25f * (plate[at - 1] + plate[at + 1] + plate[at - kSize] + plate[at + kSize]);
      }
    std::swap(plate, next);
  }
  return verdict("jacobi", differences(a.get(), plate, 1e-5) + (steps < 20 || steps >= 1000));
}
