// Wrong: the last block adds up the others' sums, which no __threadfence made visible.
//   nvcc -ptx -arch=compute_75 -lineinfo fault.cu -o fault.ptx
__device__ unsigned arrived;
extern "C" __global__ void k(unsigned* sums, unsigned* out) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = blockIdx.x + 1;  // <- the other access
    last = atomicAdd(&arrived, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    unsigned all = 0;
#pragma unroll 1
    for (unsigned i = 0; i < gridDim.x; ++i) all += sums[i];  // <- found here
    *out = all;
  }
}
