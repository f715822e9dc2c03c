// Layer normalization of each row: (x - mean) / sqrt(variance + epsilon) * weight + bias (Ba et al. 2016), a block of
// 256 threads per row. Mean first, then the squares of the differences: sums of squares alone would cancel.
//
//   nvcc -ptx -arch=compute_75 -lineinfo layer-norm.cu -o layer-norm.ptx
constexpr int kThreads = 256;

__device__ float sum_of_block(float value, float* of_warps) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffff, value, step);
  __syncthreads();  // of_warps may still be read
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = value;
  __syncthreads();
  value = of_warps[0];
  for (int i = 1; i < kThreads / 32; ++i) value += of_warps[i];
  return value;
}

extern "C" __global__ void __launch_bounds__(kThreads)
    layer_norm(const float* x, const float* weight, const float* bias, float* y, int columns, float epsilon) {
  __shared__ float of_warps[kThreads / 32];
  const float* row = x + static_cast<size_t>(blockIdx.x) * columns;
  float* out = y + static_cast<size_t>(blockIdx.x) * columns;
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += kThreads) sum += row[i];
  const float mean = sum_of_block(sum, of_warps) / columns;
  float squares = 0;
  for (int i = threadIdx.x; i < columns; i += kThreads) squares += (row[i] - mean) * (row[i] - mean);
  const float scale = rsqrtf(sum_of_block(squares, of_warps) / columns + epsilon);
  for (int i = threadIdx.x; i < columns; i += kThreads) out[i] = (row[i] - mean) * scale * weight[i] + bias[i];
}
