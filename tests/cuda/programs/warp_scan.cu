// Prefix sums and sums of warps by shuffles. Needs compute capability 3.0 (shuffle).
#include "program.h"

__global__ void scan(const int* in, int* out, int* sums) {
  __shared__ int of_warp[8];
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32, value = in[i];
  for (int step = 1; step < 32; step *= 2) {
    int other = __shfl_up_sync(0xffffffff, value, step);
    if (lane >= step) value += other;
  }
  if (lane == 31) of_warp[warp] = value;
  __syncthreads();
  for (int w = 0; w < warp; w++) value += of_warp[w];
  out[i] = value;
  int sum = in[i];
  for (int half = 16; half > 0; half /= 2) sum += __shfl_xor_sync(0xffffffff, sum, half);
  if (lane == __shfl_sync(0xffffffff, lane, 3)) sums[i / 32] = sum;
}

int main() {
  const int n = 2048, block = 256;
  std::vector<int> in(n), out(n), sums(n / 32, 0);
  unsigned state = 71;
  for (int i = 0; i < n; i++) {
    in[i] = draw(state) % 1000;
    out[i] = in[i] + (i % block ? out[i - 1] : 0);
    sums[i / 32] += in[i];
  }
  Array<int> on_in(in), on_out(n), on_sums(n / 32);
  scan<<<n / block, block>>>(on_in, on_out, on_sums);
  return verdict("warp_scan", differences(on_out.get(), out) + differences(on_sums.get(), sums));
}
