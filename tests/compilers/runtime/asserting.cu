// Assertions in device code: one thread's fails, in a function that it calls.
#include <cassert>
//   nvcc -ptx -std=c++17 -arch=compute_75 -lineinfo runtime/asserting.cu -o runtime/asserting.ptx
__device__ __noinline__ unsigned checked(unsigned value) {
  assert(value < 100 && "small values only");
  return value + 1;
}

extern "C" __global__ void asserting(const unsigned* in, unsigned* out) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = checked(in[i]);
}
