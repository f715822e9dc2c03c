// The seven kernels of Harris's "Optimizing Parallel Reduction in CUDA": each block adds up a piece of `in`.
//   nvcc -ptx -arch=compute_75 -lineinfo reduce.cu -o reduce.ptx

constexpr unsigned kBlock = 128;

// 1: neighbours first; the threads that add are found by a remainder and lie scattered over all warps.
extern "C" __global__ void interleaved_divergent(int* out, const int* in) {
  extern __shared__ int s[];
  unsigned t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned step = 1; step < blockDim.x; step *= 2) {
    if (t % (2 * step) == 0) s[t] += s[t + step];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

// 2: the same sums by the first threads: no divergence, but bank conflicts.
extern "C" __global__ void interleaved_conflicts(int* out, const int* in) {
  extern __shared__ int s[];
  unsigned t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned step = 1; step < blockDim.x; step *= 2) {
    unsigned i = 2 * step * t;
    if (i < blockDim.x) s[i] += s[i + step];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

// 3: the upper half onto the lower half: no conflicts.
extern "C" __global__ void sequential(int* out, const int* in) {
  extern __shared__ int s[];
  unsigned t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half >>= 1) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

// 4: a first sum while loading, so that no thread only loads.
extern "C" __global__ void first_add(int* out, const int* in) {
  extern __shared__ int s[];
  unsigned t = threadIdx.x, i = blockIdx.x * (blockDim.x * 2) + t;
  s[t] = in[i] + in[i + blockDim.x];
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half >>= 1) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

// The last 64 elements by one warp, whose threads execute in step: no barriers.
static __device__ void add_last_warp(volatile int* s, unsigned t) {
  s[t] += s[t + 32];
  s[t] += s[t + 16];
  s[t] += s[t + 8];
  s[t] += s[t + 4];
  s[t] += s[t + 2];
  s[t] += s[t + 1];
}

// 5: the last warp unrolled.
extern "C" __global__ void last_warp(int* out, const int* in) {
  extern __shared__ int s[];
  unsigned t = threadIdx.x, i = blockIdx.x * (blockDim.x * 2) + t;
  s[t] = in[i] + in[i + blockDim.x];
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 32; half >>= 1) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t < 32) add_last_warp(s, t);
  if (t == 0) out[blockIdx.x] = s[0];
}

// 6: completely unrolled for blocks of 128.
extern "C" __global__ void unrolled(int* out, const int* in) {
  extern __shared__ int s[];
  unsigned t = threadIdx.x, i = blockIdx.x * (kBlock * 2) + t;
  s[t] = in[i] + in[i + kBlock];
  __syncthreads();
  if (t < 64) s[t] += s[t + 64];
  __syncthreads();
  if (t < 32) add_last_warp(s, t);
  if (t == 0) out[blockIdx.x] = s[0];
}

// 7: several elements per thread; n is a multiple of two blocks.
extern "C" __global__ void several(int* out, const int* in, unsigned n) {
  extern __shared__ int s[];
  unsigned t = threadIdx.x, i = blockIdx.x * (kBlock * 2) + t, grid = kBlock * 2 * gridDim.x;
  s[t] = 0;
  while (i < n) {
    s[t] += in[i] + in[i + kBlock];
    i += grid;
  }
  __syncthreads();
  if (t < 64) s[t] += s[t + 64];
  __syncthreads();
  if (t < 32) add_last_warp(s, t);
  if (t == 0) out[blockIdx.x] = s[0];
}
