// Wrong: <= in place of <, so that one thread is out of bounds.
__global__ void scale(const float* x, float* y, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) y[i] = factor * x[i];
}
