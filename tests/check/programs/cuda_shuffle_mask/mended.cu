// The twin of fault.cu without its fault: __shfl_down_sync in a branch names all lanes of the warp.
//   nvcc -ptx -arch=compute_75 -lineinfo mended.cu -o mended.ptx
extern "C" __global__ void k(const unsigned* in, unsigned* out, unsigned n) {
  unsigned t = threadIdx.x;
  if (t >= n) return;
  unsigned value = in[t];
  value += __shfl_down_sync(0x000fffff, value, 1);
  if (t + 1 < n) out[t] = value;
}
