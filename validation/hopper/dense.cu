// Dense algebra: a product with 4 x 4 results a thread, halves in pairs, small inverses, a step of an elimination.
//
//   nvcc -ptx -arch=compute_75 -lineinfo dense.cu -o dense.ptx
#include <cuda_fp16.h>
#include "digest.cuh"

// c = a * b, n a multiple of 64: blocks of 256 threads, tiles of 64 x 16 and 16 x 64, four elements a load.
extern "C" __global__ void sgemm_registers(const float* a, const float* b, float* c, int n) {
  __shared__ float left[16][68];
  __shared__ float right[16][64];
  int t = threadIdx.x, tx = t % 16, ty = t / 16, row = blockIdx.y * 64, column = blockIdx.x * 64;
  float sum[4][4] = {};
  for (int k = 0; k < n; k += 16) {
    float4 v = *reinterpret_cast<const float4*>(a + (row + t / 4) * n + k + t % 4 * 4);
    left[t % 4 * 4][t / 4] = v.x;
    left[t % 4 * 4 + 1][t / 4] = v.y;
    left[t % 4 * 4 + 2][t / 4] = v.z;
    left[t % 4 * 4 + 3][t / 4] = v.w;
    *reinterpret_cast<float4*>(&right[ty][tx * 4]) = *reinterpret_cast<const float4*>(b + (k + ty) * n + column + tx * 4);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      float4 x = *reinterpret_cast<float4*>(&left[i][ty * 4]), y = *reinterpret_cast<float4*>(&right[i][tx * 4]);
      float u[4] = {x.x, x.y, x.z, x.w}, w[4] = {y.x, y.y, y.z, y.w};
      for (int p = 0; p < 4; ++p)
        for (int q = 0; q < 4; ++q) sum[p][q] = fmaf(u[p], w[q], sum[p][q]);
    }
    __syncthreads();
  }
  for (int p = 0; p < 4; ++p)
    *reinterpret_cast<float4*>(c + (row + ty * 4 + p) * n + column + tx * 4) =
        make_float4(sum[p][0], sum[p][1], sum[p][2], sum[p][3]);
}

// y = alpha * x + y of pairs of halves, four pairs a thread.
extern "C" __global__ void half2_axpy(const uint4* x, uint4* y, int count, float alpha) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  __half2 factor = __float2half2_rn(alpha);
  uint4 a = x[i], b = y[i];
  unsigned *pa = &a.x, *pb = &b.x;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    __half2 sum = __hfma2(factor, reinterpret_cast<__half2&>(pa[k]), reinterpret_cast<__half2&>(pb[k]));
    pb[k] = reinterpret_cast<unsigned&>(sum);
  }
  y[i] = b;
}

// The inverse of a 4 x 4 matrix for each thread, by elimination without a search for pivots; matrices are stored element
// by element. 5 is added to the diagonal.
extern "C" __global__ void inverse4(const float* in, float* out, int count) {
  int m = blockIdx.x * blockDim.x + threadIdx.x;
  if (m >= count) return;
  float a[4][8];
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    a[i / 4][i % 4] = in[i * count + m] + (i % 5 == 0 ? 5.0f : 0.0f);
    a[i / 4][i % 4 + 4] = i % 5 == 0;
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    float factor = 1 / a[k][k];
#pragma unroll
    for (int j = 0; j < 8; ++j) a[k][j] *= factor;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (i == k) continue;
      float f = a[i][k];
#pragma unroll
      for (int j = 0; j < 8; ++j) a[i][j] = fmaf(-f, a[k][j], a[i][j]);
    }
  }
#pragma unroll
  for (int i = 0; i < 16; ++i) out[i * count + m] = a[i / 4][i % 4 + 4];
}

// Step k of an LU decomposition of doubles: the rows below are reduced by row k, a thread for each element.
extern "C" __global__ void lu_step(double* a, const double* factors, int n, int k) {
  int x = k + blockIdx.x * blockDim.x + threadIdx.x, y = k + 1 + blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < n) a[y * n + x] -= factors[y] * a[k * n + x];
}
