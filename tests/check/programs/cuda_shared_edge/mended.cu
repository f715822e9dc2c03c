// The twin of fault.cu without its fault: the threads beyond the end load nothing, and the tile is used to its
// edge.
//   nvcc -ptx -arch=compute_75 -lineinfo mended.cu -o mended.ptx
extern "C" __global__ void k(const unsigned* in, unsigned* out, unsigned n) {
  __shared__ unsigned tile[64];
  unsigned t = threadIdx.x;
  tile[t] = t < n ? in[t] : 0;
  __syncthreads();
  out[t] = tile[63 - t];
}
