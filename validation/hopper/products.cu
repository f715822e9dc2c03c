// Products of dense matrices and vectors: doubles in tiles, bytes by dp4a, a warp for a row, a triangle.
//
//   nvcc -ptx -arch=compute_75 -lineinfo products.cu -o products.ptx
#include "digest.cuh"

// c = a * b, n a multiple of 32: blocks of 16 x 16 threads, 2 x 2 results for each, tiles of 32 x 16 and 16 x 32.
extern "C" __global__ void dgemm_tile(const double* a, const double* b, double* c, int n) {
  __shared__ double left[32][17], right[16][32];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 32, column = blockIdx.x * 32;
  double sum[2][2] = {};
  for (int k = 0; k < n; k += 16) {
    left[ty][tx] = a[(row + ty) * n + k + tx];
    left[ty + 16][tx] = a[(row + ty + 16) * n + k + tx];
    right[ty][tx] = b[(k + ty) * n + column + tx];
    right[ty][tx + 16] = b[(k + ty) * n + column + tx + 16];
    __syncthreads();
    for (int i = 0; i < 16; ++i) {
      double a0 = left[ty][i], a1 = left[ty + 16][i], b0 = right[i][tx], b1 = right[i][tx + 16];
      sum[0][0] += a0 * b0;
      sum[0][1] += a0 * b1;
      sum[1][0] += a1 * b0;
      sum[1][1] += a1 * b1;
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) c[(row + ty + 16 * i) * n + column + tx + 16 * j] = sum[i][j];
}

// c = a * transposed b of signed bytes, n a multiple of 64: blocks of 16 x 16 threads, tiles of 32 rows x 64 bytes.
extern "C" __global__ void bytes_product(const int* a, const int* b, int* c, int n) {
  __shared__ int left[32][17], right[32][17];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 32, column = blockIdx.x * 32, words = n / 4;
  int sum[2][2] = {};
  for (int k = 0; k < words; k += 16) {
    for (int i = 0; i < 32; i += 16) {
      left[ty + i][tx] = a[(row + ty + i) * words + k + tx];
      right[ty + i][tx] = b[(column + ty + i) * words + k + tx];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; ++i)
      for (int y = 0; y < 2; ++y)
        for (int x = 0; x < 2; ++x) sum[y][x] = __dp4a(left[ty + 16 * y][i], right[tx + 16 * x][i], sum[y][x]);
    __syncthreads();
  }
  for (int y = 0; y < 2; ++y)
    for (int x = 0; x < 2; ++x) c[(row + ty + 16 * y) * n + column + tx + 16 * x] = sum[y][x];
}

// y = a * x, a warp for each row, four elements a lane and load; columns are a multiple of 128.
extern "C" __global__ void gemv_warp(const float4* a, const float4* x, float* y, int rows, int columns) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  for (int i = lane; i < columns / 4; i += 32) {
    float4 m = a[row * (columns / 4) + i], v = x[i];
    sum = fmaf(m.x, v.x, fmaf(m.y, v.y, fmaf(m.z, v.z, fmaf(m.w, v.w, sum))));
  }
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(~0u, sum, distance);
  if (lane == 0) y[row] = sum;
}

// y = a * x of an upper triangle that is stored by columns, a thread for each row.
extern "C" __global__ void triangle_rows(const float* a, const float* x, float* y, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n) return;
  float sum = 0;
  for (int column = row; column < n; ++column) sum = fmaf(a[column * n + row], x[column], sum);
  y[row] = sum;
}
