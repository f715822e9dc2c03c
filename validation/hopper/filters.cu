// Filters of pictures: separable convolutions in shared memory, a Laplacian, a blur whose rows stay in registers.
//
//   nvcc -ptx -arch=compute_75 -lineinfo filters.cu -o filters.ptx
#include "digest.cuh"

constexpr int kRadius = 8;
__constant__ float kWeights[2 * kRadius + 1] = {0.010f, 0.017f, 0.028f, 0.042f, 0.059f, 0.077f, 0.092f, 0.103f, 0.144f,
                                                0.103f, 0.092f, 0.077f, 0.059f, 0.042f, 0.028f, 0.017f, 0.010f};

// Along rows: blocks of 64 x 4 threads, a pixel each; width a multiple of 64, height of 4.
extern "C" __global__ void filter_rows(const float* in, float* out, int width) {
  __shared__ float tile[4][64 + 2 * kRadius];
  int y = blockIdx.y * 4 + threadIdx.y, first = blockIdx.x * 64 - kRadius;
  for (int i = threadIdx.x; i < 64 + 2 * kRadius; i += 64) {
    int x = first + i;
    tile[threadIdx.y][i] = x >= 0 && x < width ? in[y * width + x] : 0;
  }
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int k = 0; k <= 2 * kRadius; ++k) sum = fmaf(kWeights[k], tile[threadIdx.y][threadIdx.x + k], sum);
  out[y * width + blockIdx.x * 64 + threadIdx.x] = sum;
}

// Along columns: blocks of 16 x 16 threads, two pixels each; width a multiple of 16, height of 32.
extern "C" __global__ void filter_columns(const float* in, float* out, int width, int height) {
  __shared__ float tile[32 + 2 * kRadius][17];
  int x = blockIdx.x * 16 + threadIdx.x, first = blockIdx.y * 32 - kRadius;
  for (int i = threadIdx.y; i < 32 + 2 * kRadius; i += 16) {
    int y = first + i;
    tile[i][threadIdx.x] = y >= 0 && y < height ? in[y * width + x] : 0;
  }
  __syncthreads();
  for (int row = threadIdx.y; row < 32; row += 16) {
    float sum = 0;
#pragma unroll
    for (int k = 0; k <= 2 * kRadius; ++k) sum = fmaf(kWeights[k], tile[row + k][threadIdx.x], sum);
    out[(blockIdx.y * 32 + row) * width + x] = sum;
  }
}

// Five points from global memory, by a loop over the grid.
extern "C" __global__ void laplacian(const float* __restrict__ in, float* out, int width, int height) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < width * height; i += gridDim.x * blockDim.x) {
    int x = i % width, y = i / width;
    bool inside = x > 0 && x < width - 1 && y > 0 && y < height - 1;
    out[i] = inside ? in[i - 1] + in[i + 1] + in[i - width] + in[i + width] - 4 * in[i] : 0;
  }
}

// The mean of 5 x 5 pixels; a thread goes down 16 rows with the last five sums in registers. `in` has a border of 2.
extern "C" __global__ void blur_registers(const float* in, float* out, int width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * 16, pitch = width + 4;
  if (x >= width) return;
  float sums[5];
#pragma unroll
  for (int row = 0; row < 20; ++row) {
    const float* p = in + (y + row) * pitch + x;
    sums[row % 5] = p[0] + p[1] + p[2] + p[3] + p[4];
    if (row >= 4) out[(y + row - 4) * width + x] = (sums[0] + sums[1] + sums[2] + sums[3] + sums[4]) * 0.04f;
  }
}
