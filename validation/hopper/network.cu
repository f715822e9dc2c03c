// Elements and rows of networks: GELU, embeddings, cross entropy, bytes and halves from floats.
//
//   nvcc -ptx -arch=compute_75 -lineinfo network.cu -o network.ptx
#include <cuda_fp16.h>
#include "digest.cuh"

// GELU with a hyperbolic tangent.
extern "C" __global__ void gelu(const float* in, float* out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float x = in[i];
  out[i] = 0.5f * x * (1 + tanhf(0.79788456f * fmaf(0.044715f * x * x, x, x)));
}

// Rows of a table for tokens: a block of 64 threads for each, four elements a thread and round.
extern "C" __global__ void embedding(const float4* table, const unsigned* tokens, float4* out, int quads) {
  unsigned row = tokens[blockIdx.x];
  for (int i = threadIdx.x; i < quads; i += blockDim.x) out[blockIdx.x * quads + i] = table[row * quads + i];
}

// The cross entropy of each row and its label, a warp for each row; one pass with a running maximum.
extern "C" __global__ void cross_entropy(const float* in, const unsigned* labels, float* loss, int rows, int width) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float largest = -1e30f, sum = 0;
  for (int i = lane; i < width; i += 32) {
    float x = in[row * width + i], next = fmaxf(largest, x);
    sum = fmaf(sum, __expf(largest - next), __expf(x - next));
    largest = next;
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    float other = __shfl_xor_sync(~0u, largest, distance), other_sum = __shfl_xor_sync(~0u, sum, distance);
    float next = fmaxf(largest, other);
    sum = sum * __expf(largest - next) + other_sum * __expf(other - next);
    largest = next;
  }
  if (lane == 0) loss[row] = largest + __logf(sum) - in[row * width + labels[row]];
}

// Signed bytes by the largest magnitude of each row of 1024, a block of 256 threads for each row.
extern "C" __global__ void quantize_rows(const float4* in, unsigned* out, float* scales) {
  __shared__ float part[8];
  float4 v = in[blockIdx.x * 256 + threadIdx.x];
  float largest = fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)), fmaxf(fabsf(v.z), fabsf(v.w)));
  for (int distance = 16; distance > 0; distance /= 2) largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, distance));
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = largest;
  __syncthreads();
  for (int i = 0; i < 8; ++i) largest = fmaxf(largest, part[i]);
  float factor = 127 / largest;
  int x = __float2int_rn(v.x * factor), y = __float2int_rn(v.y * factor);
  int z = __float2int_rn(v.z * factor), w = __float2int_rn(v.w * factor);
  out[blockIdx.x * 256 + threadIdx.x] = (x & 255) | (y & 255) << 8 | (z & 255) << 16 | unsigned(w) << 24;
  if (threadIdx.x == 0) scales[blockIdx.x] = largest / 127;
}

// Halves from floats, two a thread.
extern "C" __global__ void to_halves(const float2* in, __half2* out, int pairs) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < pairs) out[i] = __float22half2_rn(in[i]);
}
