// Wrong: each thread takes a stretch of consecutive elements, so that neighbouring threads are far apart.
__global__ void scale(const float* x, float* y, float factor, int n) {
  int threads = gridDim.x * blockDim.x;
  int each = (n + threads - 1) / threads < 8 ? 8 : (n + threads - 1) / threads;
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * each;
  for (int i = first; i < first + each; ++i)
    if (i < n) y[i] = factor * x[i];
}
