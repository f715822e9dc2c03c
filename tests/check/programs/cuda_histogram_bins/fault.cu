// Wrong: bins in shared memory are incremented without atomic operations.
//   nvcc -ptx -arch=compute_75 -lineinfo fault.cu -o fault.ptx
extern "C" __global__ void k(const unsigned* in, unsigned* out) {
  __shared__ unsigned bins[32];
  unsigned t = threadIdx.x;
  if (t < 32) bins[t] = 0;
  __syncthreads();
  bins[in[t] % 32]++;  // <- found here
  __syncthreads();
  if (t < 32) out[t] = bins[t];
}
