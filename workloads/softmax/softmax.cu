// softmax of each row: exp(x - max) / sum, a block of 256 threads per row (three passes: largest, sum, result). Lanes
// of a warp are reduced by shuffles, warps through shared memory.
//
//   nvcc -ptx -arch=compute_75 -lineinfo softmax.cu -o softmax.ptx
constexpr int kThreads = 256;

template <class Combine>
__device__ float of_block(float value, float* of_warps, Combine combine) {
  for (int step = 16; step > 0; step /= 2) value = combine(value, __shfl_xor_sync(0xffffffff, value, step));
  __syncthreads();  // of_warps may still be read
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = value;
  __syncthreads();
  value = of_warps[0];
  for (int i = 1; i < kThreads / 32; ++i) value = combine(value, of_warps[i]);
  return value;
}

extern "C" __global__ void __launch_bounds__(kThreads) softmax(const float* x, float* y, int columns) {
  __shared__ float of_warps[kThreads / 32];
  const float* row = x + static_cast<size_t>(blockIdx.x) * columns;
  float* out = y + static_cast<size_t>(blockIdx.x) * columns;
  float most = -INFINITY;
  for (int i = threadIdx.x; i < columns; i += kThreads) most = fmaxf(most, row[i]);
  most = of_block(most, of_warps, [](float a, float b) { return fmaxf(a, b); });
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += kThreads) sum += __expf(row[i] - most);
  sum = of_block(sum, of_warps, [](float a, float b) { return a + b; });
  const float part = 1.0f / sum;
  for (int i = threadIdx.x; i < columns; i += kThreads) out[i] = __expf(row[i] - most) * part;
}
