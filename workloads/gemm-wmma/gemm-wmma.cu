// C = A B with the wmma interface of CUDA C++ (CUDA C++ Programming Guide, "Warp Matrix Functions"): f16 factors and
// f32 sums, A block of 128 threads computes 64 x 64 of C, a warp 32 x 32 of them as four fragments of 16 x 16; tiles of
// 16 of k pass through shared memory. n is a multiple of 64.
//
//   nvcc -ptx -arch=compute_75 -lineinfo gemm-wmma.cu -o gemm-wmma.ptx
#include <mma.h>

using namespace nvcuda;

constexpr int kTile = 64, kDepth = 16, kPad = 8;  // padding keeps rows of fragments in different banks

extern "C" __global__ void gemm_wmma(const __half* a, const __half* b, float* c, int n) {
  __shared__ __align__(16) __half tile_a[kTile][kDepth + kPad];
  __shared__ __align__(16) __half tile_b[kDepth][kTile + kPad];
  const int row = blockIdx.y * kTile, column = blockIdx.x * kTile;
  const int warp = threadIdx.x / 32, warp_row = warp / 2 * 32, warp_column = warp % 2 * 32;

  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2][2];
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) wmma::fill_fragment(sum[i][j], 0.0f);

  for (int k = 0; k < n; k += kDepth) {
    // 8 numbers of A and 8 of B per thread.
    const int a_row = threadIdx.x / 2, a_column = threadIdx.x % 2 * 8;
    *reinterpret_cast<uint4*>(&tile_a[a_row][a_column]) =
        *reinterpret_cast<const uint4*>(&a[(row + a_row) * n + k + a_column]);
    const int b_row = threadIdx.x / 8, b_column = threadIdx.x % 8 * 8;
    *reinterpret_cast<uint4*>(&tile_b[b_row][b_column]) =
        *reinterpret_cast<const uint4*>(&b[(k + b_row) * n + column + b_column]);
    __syncthreads();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> part_a[2];
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> part_b[2];
    for (int i = 0; i < 2; ++i) wmma::load_matrix_sync(part_a[i], &tile_a[warp_row + 16 * i][0], kDepth + kPad);
    for (int j = 0; j < 2; ++j) wmma::load_matrix_sync(part_b[j], &tile_b[0][warp_column + 16 * j], kTile + kPad);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) wmma::mma_sync(sum[i][j], part_a[i], part_b[j], sum[i][j]);
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      wmma::store_matrix_sync(&c[(row + warp_row + 16 * i) * n + column + warp_column + 16 * j], sum[i][j], n,
                              wmma::mem_row_major);
}
