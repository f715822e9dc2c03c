// The twin of fault.cu without its fault: the first thread reads its left neighbour, which does not exist.
//   nvcc -ptx -arch=compute_75 -lineinfo mended.cu -o mended.ptx
extern "C" __global__ void k(const unsigned* in, unsigned* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned left = i > 0 ? in[i - 1] : 0;
  unsigned right = i + 1 < n ? in[i + 1] : 0;
  out[i] = left + in[i] + right;
}
