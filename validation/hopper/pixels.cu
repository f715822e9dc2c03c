// Pictures and signals: a median filter, rays and spheres, Fourier transforms, a long straight program.
//
//   nvcc -ptx -arch=compute_75 -lineinfo pixels.cu -o pixels.ptx
#include "digest.cuh"

__device__ void sort_two(unsigned& a, unsigned& b) {
  unsigned low = min(a, b);
  b = max(a, b);
  a = low;
}

// The median of 3 x 3 bytes, a thread for each pixel.
extern "C" __global__ void median3(const unsigned char* in, unsigned char* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  unsigned p[9];
#pragma unroll
  for (int i = 0; i < 9; ++i)
    p[i] = in[min(max(y + i / 3 - 1, 0), height - 1) * width + min(max(x + i % 3 - 1, 0), width - 1)];
#pragma unroll
  for (int i = 0; i < 9; i += 3) sort_two(p[i], p[i + 1]), sort_two(p[i + 1], p[i + 2]), sort_two(p[i], p[i + 1]);
  unsigned low = max(max(p[0], p[3]), p[6]), high = min(min(p[2], p[5]), p[8]);
  sort_two(p[1], p[4]);
  unsigned middle = max(p[1], min(p[4], p[7]));
  sort_two(low, middle);
  out[y * width + x] = max(low, min(middle, high));
}

// The brightness of the nearest of `count` spheres (x, y, z, radius), a thread for each pixel of a square.
extern "C" __global__ void ray_spheres(const float4* spheres, int count, float* out, int size) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= size || y >= size) return;
  float dx = (x + 0.5f) / size - 0.5f, dy = (y + 0.5f) / size - 0.5f, norm = rsqrtf(dx * dx + dy * dy + 1);
  dx *= norm;
  dy *= norm;
  float dz = norm, nearest = 1e30f, brightness = 0;
  for (int i = 0; i < count; ++i) {
    float4 s = spheres[i];
    float along = s.x * dx + s.y * dy + s.z * dz;
    float inside = along * along - (s.x * s.x + s.y * s.y + s.z * s.z - s.w * s.w);
    if (inside < 0) continue;
    float distance = along - sqrtf(inside);
    if (distance > 0 && distance < nearest) {
      nearest = distance;
      brightness = fmaxf((s.z - distance * dz) / s.w, 0);
    }
  }
  out[y * size + x] = brightness;
}

// A transform of 1024 complex numbers for each block of 512 threads, radix 2 in shared memory.
extern "C" __global__ void fft1024(const float2* in, float2* out) {
  __shared__ float2 point[1024];
  const float2* own = in + blockIdx.x * 1024;
  point[__brev(threadIdx.x) >> 22] = own[threadIdx.x];
  point[__brev(threadIdx.x + 512) >> 22] = own[threadIdx.x + 512];
  for (int half = 1; half < 1024; half *= 2) {
    __syncthreads();
    int offset = threadIdx.x & (half - 1), low = 2 * threadIdx.x - offset;
    float sine, cosine;
    sincospif(-float(offset) / half, &sine, &cosine);
    float2 a = point[low], b = point[low + half];
    float re = b.x * cosine - b.y * sine, im = b.x * sine + b.y * cosine;
    point[low] = make_float2(a.x + re, a.y + im);
    point[low + half] = make_float2(a.x - re, a.y - im);
  }
  __syncthreads();
  out[blockIdx.x * 1024 + threadIdx.x] = point[threadIdx.x];
  out[blockIdx.x * 1024 + threadIdx.x + 512] = point[threadIdx.x + 512];
}

// 6 polynomials of degree 512 in straight code, which no instruction cache near the core holds.
extern "C" __global__ void long_polynomial(const float* in, float* out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float x = in[i], y[6] = {};
#pragma unroll
  for (int k = 0; k < 512; ++k)
    for (int j = 0; j < 6; ++j) y[j] = fmaf(y[j], x, 1.0f / (k + 2) + 0.001f * j);
  out[i] = ((y[0] + y[1]) + (y[2] + y[3])) + (y[4] + y[5]);
}
