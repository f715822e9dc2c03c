// The twin of fault.cu without its fault: __syncthreads in the branch of the threads with work.
//   nvcc -ptx -arch=compute_75 -lineinfo mended.cu -o mended.ptx
extern "C" __global__ void k(const unsigned* in, unsigned* out, unsigned n) {
  __shared__ unsigned part[64];
  unsigned t = threadIdx.x;
  part[t] = 0;
  if (t < n) {
    part[t] = in[t];
  }
  __syncthreads();
  if (t < n) {
    out[t] = part[n - 1 - t];
  }
}
