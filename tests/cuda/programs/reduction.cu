// Sums, minima and maxima by a tree in shared memory, for several sizes of blocks (a template). Needs nothing beyond
// compute capability 1.0.
#include "program.h"

template <int kThreads>
__global__ void reduce(const float* in, float* sums, float* most, int n) {
  __shared__ float sum[kThreads], high[kThreads];
  float s = 0, h = -1e30f;
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += kThreads * gridDim.x) s += in[i], h = fmaxf(h, in[i]);
  sum[threadIdx.x] = s;
  high[threadIdx.x] = h;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      sum[threadIdx.x] += sum[threadIdx.x + half];
      high[threadIdx.x] = fmaxf(high[threadIdx.x], high[threadIdx.x + half]);
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = sum[0], most[blockIdx.x] = high[0];
}

template <int kThreads>
int test(const std::vector<float>& values, double expected, float highest) {
  const int blocks = 6;
  Array<float> in(values), sums(blocks), most(blocks);
  reduce<kThreads><<<blocks, kThreads>>>(in, sums, most, (int)values.size());
  reduce<kThreads><<<1, kThreads>>>(sums, sums, most + 1, blocks);
  std::vector<float> high = most.get();
  for (int i = 2; i < blocks; i++) high[0] = fmaxf(high[0], high[i]);
  return !near(sums.get()[0], expected, 1e-4) + (high[0] > highest);
}

int main() {
  std::vector<float> values(20011);
  unsigned state = 11;
  double sum = 0;
  float highest = 0;
  for (float& value : values) value = draw_float(state), sum += value, highest = std::fmax(highest, value);
  int wrong = test<32>(values, sum, highest) + test<128>(values, sum, highest) + test<256>(values, sum, highest);
  return verdict("reduction", wrong);
}
