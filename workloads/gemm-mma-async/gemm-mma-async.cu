// C = A B as libraries for compute capability 8.0 write it: cp.async fills shared memory stages ahead, ldmatrix brings
// fragments into registers, mma.sync.m16n8k16 multiplies; f16 factors, f32 sums. A block of 256 threads computes 128 x
// 128 of C, a warp 64 x 32 of them; tiles of 32 of k. n is a multiple of 128.
//
//   nvcc -ptx -arch=compute_80 -lineinfo gemm-mma-async.cu -o gemm-mma-async.ptx
#include <cuda_fp16.h>
#include <cuda_pipeline_primitives.h>

#include "fragments.h"

constexpr int kTile = 128, kDepth = 32, kStages = 3;

// Chunks of 8 numbers (16 bytes) lie permuted within their row, so that the eight rows that ldmatrix reads at once are
// in different banks.
__device__ int at_a(int row, int chunk) { return row * kDepth + (chunk ^ (row / 2 & 3)) * 8; }
__device__ int at_b(int row, int chunk) { return row * kTile + (chunk ^ (row & 7)) * 8; }

extern "C" __global__ void __launch_bounds__(256) gemm_mma_async(const __half* a, const __half* b, float* c, int n) {
  __shared__ __align__(128) __half stages_a[kStages][kTile * kDepth];
  __shared__ __align__(128) __half stages_b[kStages][kDepth * kTile];
  const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  const int row = blockIdx.y * kTile, column = blockIdx.x * kTile;
  const int warp_row = warp / 4 * 64, warp_column = warp % 4 * 32;

  // Two chunks of each tile per thread.
  auto copy = [&](int stage, int k) {
    for (int i = 0; i < 2; ++i) {
      const int part = thread + 256 * i;
      const int a_row = part / 4, a_chunk = part % 4, b_row = part / 16, b_chunk = part % 16;
      __pipeline_memcpy_async(&stages_a[stage][at_a(a_row, a_chunk)], &a[(row + a_row) * n + k + a_chunk * 8], 16);
      __pipeline_memcpy_async(&stages_b[stage][at_b(b_row, b_chunk)], &b[(k + b_row) * n + column + b_chunk * 8], 16);
    }
  };

  float sum[4][4][4] = {};  // 16 x 8 of C each
  for (int stage = 0; stage < kStages - 1; ++stage) {
    if (stage * kDepth < n) copy(stage, stage * kDepth);
    __pipeline_commit();
  }
  for (int step = 0; step * kDepth < n; ++step) {
    __pipeline_wait_prior(kStages - 2);
    __syncthreads();
    // The stage that all warps have left at the barrier.
    if ((step + kStages - 1) * kDepth < n) copy((step + kStages - 1) % kStages, (step + kStages - 1) * kDepth);
    __pipeline_commit();
    const __half* tile_a = stages_a[step % kStages];
    const __half* tile_b = stages_b[step % kStages];
    for (int k = 0; k < kDepth; k += 16) {
      unsigned part_a[4][4], part_b[2][4];
      for (int i = 0; i < 4; ++i) load_four(part_a[i], &tile_a[at_a(warp_row + 16 * i + lane % 16, k / 8 + lane / 16)]);
      for (int j = 0; j < 2; ++j)
        load_four_transposed(part_b[j], &tile_b[at_b(k + lane % 16, (warp_column + 16 * j) / 8 + lane / 16)]);
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
          multiply(sum[i][j], part_a[i], part_b[j / 2][j % 2 * 2], part_b[j / 2][j % 2 * 2 + 1]);
    }
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      const int c_row = row + warp_row + 16 * i + lane / 4, c_column = column + warp_column + 8 * j + lane % 4 * 2;
      *reinterpret_cast<float2*>(&c[c_row * n + c_column]) = make_float2(sum[i][j][0], sum[i][j][1]);
      *reinterpret_cast<float2*>(&c[(c_row + 8) * n + c_column]) = make_float2(sum[i][j][2], sum[i][j][3]);
    }
}
