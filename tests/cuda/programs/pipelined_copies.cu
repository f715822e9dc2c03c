// Tiles that a block copies to shared memory while it computes on the one before: __pipeline_memcpy_async of the
// pipeline primitives. Needs compute capability 8.0 (asynchronous copies).
//   nvcc -ptx -std=c++17 -arch=compute_80 -lineinfo pipelined_copies.cu -o pipelined_copies.ptx
// flags: -arch=compute_80
#include <cuda_pipeline.h>

#include "program.h"

const int kTile = 128;

__global__ void smooth(const float4* in, float4* out, int tiles) {
  __shared__ float4 tile[2][kTile];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[0][t], &in[t], sizeof(float4));
  __pipeline_commit();
  for (int i = 0; i < tiles; i++) {
    int next = i + 1;
    // The last one copies half of a vector: the rest are zeros.
    if (next < tiles) __pipeline_memcpy_async(&tile[next & 1][t], &in[next * kTile + t], 16, next == tiles - 1 ? 8 : 0);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    float4 a = tile[i & 1][t], b = tile[i & 1][(t + 1) % kTile];
    out[i * kTile + t] = make_float4(a.x + b.x, a.y - b.y, a.z + b.z, a.w - b.w);
    __syncthreads();
  }
}

int main() {
  const int tiles = 5, n = tiles * kTile;
  std::vector<float> in(4 * n), expected(4 * n);
  unsigned state = 5;
  for (float& x : in) x = draw(state) % 100;
  for (int i = 0; i < n; i++) {
    int tile = i / kTile, other = tile * kTile + (i + 1) % kTile;
    for (int c = 0; c < 4; c++) {
      bool gone = tile == tiles - 1 && c >= 2;
      float a = gone ? 0 : in[4 * i + c], b = gone ? 0 : in[4 * other + c];
      expected[4 * i + c] = c % 2 == 0 ? a + b : a - b;
    }
  }
  Array<float> on_in(in), on_out(4 * n);
  smooth<<<1, kTile>>>((const float4*)on_in.data, (float4*)on_out.data, tiles);
  return verdict("pipelined_copies", differences(on_out.get(), expected));
}
