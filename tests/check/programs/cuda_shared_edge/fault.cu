// Wrong: the threads beyond the end load nothing, and the tile is used to its edge.
//   nvcc -ptx -arch=compute_75 -lineinfo fault.cu -o fault.ptx
extern "C" __global__ void k(const unsigned* in, unsigned* out, unsigned n) {
  __shared__ unsigned tile[64];
  unsigned t = threadIdx.x;
  if (t < n) tile[t] = in[t];
  __syncthreads();
  out[t] = tile[63 - t];  // <- found here
}
