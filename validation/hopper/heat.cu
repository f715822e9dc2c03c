// Stencils of heat flow: three dimensions without and with registers for the planes, two dimensions with shared memory.
//
//   nvcc -ptx -arch=compute_75 -lineinfo heat.cu -o heat.ptx
#include "digest.cuh"

// A thread for each cell of a box of width x height x depth; the six neighbours are read from global memory.
extern "C" __global__ void heat7(const float* in, float* out, int width, int height, int depth, float rate) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
  if (x >= width || y >= height) return;
  int plane = width * height, i = z * plane + y * width + x;
  float sum = 0;
  if (x > 0 && x < width - 1 && y > 0 && y < height - 1 && z > 0 && z < depth - 1)
    sum = in[i - 1] + in[i + 1] + in[i - width] + in[i + width] + in[i - plane] + in[i + plane] - 6.0f * in[i];
  out[i] = fmaf(rate, sum, in[i]);
}

// A thread for each column along z: the cells below and above stay in registers.
extern "C" __global__ void heat7_planes(const float* in, float* out, int width, int height, int depth, float rate) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || x >= width - 1 || y < 1 || y >= height - 1) return;
  int plane = width * height, i = y * width + x;
  float below = in[i], here = in[i + plane];
  for (int z = 1; z < depth - 1; ++z) {
    i += plane;
    float above = in[i + plane];
    float sum = in[i - 1] + in[i + 1] + in[i - width] + in[i + width] + below + above;
    out[i] = fmaf(rate, fmaf(-6.0f, here, sum), here);
    below = here;
    here = above;
  }
}

// A Jacobi step on a square of `size` x `size`: blocks of 16 x 16 with a border of one cell in shared memory.
extern "C" __global__ void jacobi_shared(const float* in, const float* source, float* out, int size) {
  __shared__ float tile[18][18];
  int column = blockIdx.x * 16 - 1, row = blockIdx.y * 16 - 1;
  for (int i = threadIdx.y * 16 + threadIdx.x; i < 18 * 18; i += 256) {
    int y = min(max(row + i / 18, 0), size - 1), x = min(max(column + i % 18, 0), size - 1);
    tile[i / 18][i % 18] = in[y * size + x];
  }
  __syncthreads();
  int x = column + 1 + threadIdx.x, y = row + 1 + threadIdx.y, tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  if (x >= size || y >= size) return;
  float sum = tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx];
  out[y * size + x] = 0.25f * (sum - source[y * size + x]);
}
