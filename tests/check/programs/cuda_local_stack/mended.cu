// The twin of fault.cu without its fault: a stack in local memory holds four levels, and the input of thread 2
// has five.
//   nvcc -ptx -arch=compute_75 -lineinfo mended.cu -o mended.ptx
extern "C" __global__ void k(const unsigned* depth, unsigned* out) {
  unsigned levels[4], top = 0;
  unsigned n = depth[threadIdx.x];
#pragma unroll 1
  for (unsigned i = 0; i < n && top < 4; ++i) levels[top++] = i + 1;
  unsigned sum = 0;
#pragma unroll 1
  while (top > 0) sum += levels[--top];
  out[threadIdx.x] = sum;
}
