// Wrong: the size of the first test is written into the kernel.
__global__ void scale(const float* x, float* y, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 1000) y[i] = factor * x[i];
}
