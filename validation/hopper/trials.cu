// Trials and means: random points, nearest means, wavelets, a Julia set whose lanes work for different times.
//
//   nvcc -ptx -arch=compute_75 -lineinfo trials.cu -o trials.ptx
#include "digest.cuh"

// Points in a quarter of a circle; each thread has an xorshift generator of its own.
extern "C" __global__ void pi_points(unsigned* inside, int trials) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, state = i * 747796405u + 2891336453u, hits = 0;
  for (int k = 0; k < trials; ++k) {
    state ^= state << 13, state ^= state >> 17, state ^= state << 5;
    float x = (state >> 8) * (1.0f / 16777216);
    state ^= state << 13, state ^= state >> 17, state ^= state << 5;
    float y = (state >> 8) * (1.0f / 16777216);
    hits += fmaf(x, x, y * y) < 1;
  }
  inside[i] = hits;
}

// The nearest of `means` points of 8 coordinates; means in shared memory, points stored coordinate by coordinate.
extern "C" __global__ void nearest_mean(const float* points, const float* centres, unsigned* nearest, int count, int means) {
  extern __shared__ float centre[];
  for (int i = threadIdx.x; i < means * 8; i += blockDim.x) centre[i] = centres[i];
  __syncthreads();
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= count) return;
  float own[8], best = 1e30f;
#pragma unroll
  for (int d = 0; d < 8; ++d) own[d] = points[d * count + p];
  unsigned which = 0;
  for (int m = 0; m < means; ++m) {
    float sum = 0;
#pragma unroll
    for (int d = 0; d < 8; ++d) sum = fmaf(own[d] - centre[m * 8 + d], own[d] - centre[m * 8 + d], sum);
    if (sum < best) {
      best = sum;
      which = m;
    }
  }
  nearest[p] = which;
}

// All levels of Haar's transform of 512 elements, a block of 256 threads for each row.
extern "C" __global__ void haar_rows(const float* in, float* out) {
  __shared__ float value[512];
  const float* row = in + blockIdx.x * 512;
  value[threadIdx.x] = row[threadIdx.x];
  value[threadIdx.x + 256] = row[threadIdx.x + 256];
  for (int half = 256; half > 0; half /= 2) {
    __syncthreads();
    float a = 0, b = 0;
    if (threadIdx.x < half) a = value[2 * threadIdx.x], b = value[2 * threadIdx.x + 1];
    __syncthreads();
    if (threadIdx.x < half) {
      value[threadIdx.x] = (a + b) * 0.70710678f;
      out[blockIdx.x * 512 + half + threadIdx.x] = (a - b) * 0.70710678f;
    }
  }
  if (threadIdx.x == 0) out[blockIdx.x * 512] = value[0];
}

// Rounds until a point of the Julia set of (-0.8, 0.156) escapes; a loop over the grid, so that lanes take new points.
extern "C" __global__ void julia(unsigned* rounds, int size, int depth) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size * size; i += gridDim.x * blockDim.x) {
    float x = 3.0f * (i % size) / size - 1.5f, y = 3.0f * (i / size) / size - 1.5f;
    int k = 0;
    for (; k < depth && fmaf(x, x, y * y) < 4; ++k) {
      float next = fmaf(x, x, fmaf(-y, y, -0.8f));
      y = fmaf(2 * x, y, 0.156f);
      x = next;
    }
    rounds[i] = k;
  }
}
