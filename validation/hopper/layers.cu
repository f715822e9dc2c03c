// Layers of a language model on rows of float: normalization, softmax, rotary positions, the largest element.
//
//   nvcc -ptx -arch=compute_75 -lineinfo layers.cu -o layers.ptx
#include "digest.cuh"

// The sum (or maximum) over a block of 256 threads, for all of them.
template <bool maximum>
__device__ float over_block(float value) {
  __shared__ float part[8];
  for (int distance = 16; distance > 0; distance /= 2) {
    float other = __shfl_xor_sync(~0u, value, distance);
    value = maximum ? fmaxf(value, other) : value + other;
  }
  __syncthreads();
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = value;
  __syncthreads();
  value = part[0];
  for (int i = 1; i < 8; ++i) value = maximum ? fmaxf(value, part[i]) : value + part[i];
  return value;
}

// A block for each row: mean and variance, then scale and shift.
extern "C" __global__ void layer_norm(const float* in, const float* scale, const float* shift, float* out, int width) {
  const float* row = in + blockIdx.x * width;
  float sum = 0, squares = 0;
  for (int i = threadIdx.x; i < width; i += 256) sum += row[i];
  float mean = over_block<false>(sum) / width;
  for (int i = threadIdx.x; i < width; i += 256) squares = fmaf(row[i] - mean, row[i] - mean, squares);
  float factor = rsqrtf(over_block<false>(squares) / width + 1e-5f);
  for (int i = threadIdx.x; i < width; i += 256)
    out[blockIdx.x * width + i] = fmaf((row[i] - mean) * factor, scale[i], shift[i]);
}

// A block for each row, which is read three times.
extern "C" __global__ void softmax_block(const float* in, float* out, int width) {
  const float* row = in + blockIdx.x * width;
  float largest = -INFINITY, sum = 0;
  for (int i = threadIdx.x; i < width; i += 256) largest = fmaxf(largest, row[i]);
  largest = over_block<true>(largest);
  for (int i = threadIdx.x; i < width; i += 256) sum += expf(row[i] - largest);
  float factor = 1 / over_block<false>(sum);
  for (int i = threadIdx.x; i < width; i += 256) out[blockIdx.x * width + i] = expf(row[i] - largest) * factor;
}

// Rotary positions: a block for each position, a thread for each pair of 128 elements of a head.
extern "C" __global__ void rope(const float* in, float* out, int heads) {
  int position = blockIdx.x, pair = threadIdx.x % 64;
  float sine, cosine;
  sincosf(position * exp2f(pair * (-13.287712f / 64)), &sine, &cosine);
  for (int head = threadIdx.x / 64; head < heads; head += blockDim.x / 64) {
    int i = (position * heads + head) * 128 + pair;
    float x = in[i], y = in[i + 64];
    out[i] = x * cosine - y * sine;
    out[i + 64] = x * sine + y * cosine;
  }
}

// Where each row is largest, a warp for each row.
extern "C" __global__ void argmax_rows(const float* in, int* where, int rows, int width) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float best = -INFINITY;
  int index = 0;
  for (int i = lane; i < width; i += 32) {
    float value = in[row * width + i];
    if (value > best) {
      best = value;
      index = i;
    }
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    float other = __shfl_xor_sync(~0u, best, distance);
    int other_index = __shfl_xor_sync(~0u, index, distance);
    if (other > best || (other == best && other_index < index)) {
      best = other;
      index = other_index;
    }
  }
  if (lane == 0) where[row] = index;
}
