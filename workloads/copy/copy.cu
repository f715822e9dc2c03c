// An array copied from device memory to device memory, one word or one vector of four words per thread.
//
//   nvcc -ptx -arch=compute_75 -lineinfo copy.cu -o copy.ptx
extern "C" __global__ void copy_word(float* to, const float* from, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}

extern "C" __global__ void copy_vector(float4* to, const float4* from, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}

// Half-warps that begin `offset` words behind a multiple of their size.
extern "C" __global__ void copy_offset(float* to, const float* from, unsigned n, unsigned offset) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x + offset;
  if (i < n + offset) to[i] = from[i];
}
