// Wrong: __shfl_down_sync in a branch names all lanes of the warp.
//   nvcc -ptx -arch=compute_75 -lineinfo fault.cu -o fault.ptx
extern "C" __global__ void k(const unsigned* in, unsigned* out, unsigned n) {
  unsigned t = threadIdx.x;
  if (t >= n) return;
  unsigned value = in[t];
  value += __shfl_down_sync(0xffffffff, value, 1);  // <- found here
  if (t + 1 < n) out[t] = value;
}
