// c = a + b, one thread an element: the smallest kernel that moves data.
//
//   nvcc -ptx -arch=compute_75 -lineinfo vecadd.cu -o vecadd.ptx
extern "C" __global__ void vecadd(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
