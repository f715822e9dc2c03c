// Wrong: __syncthreads in the branch of the threads with work.
//   nvcc -ptx -arch=compute_75 -lineinfo fault.cu -o fault.ptx
extern "C" __global__ void k(const unsigned* in, unsigned* out, unsigned n) {
  __shared__ unsigned part[64];
  unsigned t = threadIdx.x;
  part[t] = 0;
  if (t < n) {
    part[t] = in[t];
    __syncthreads();  // <- found here
    out[t] = part[n - 1 - t];
  }
}
