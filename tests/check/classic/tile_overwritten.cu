// The next tile is loaded while other warps still use this one.
__global__ void row_products(const float* a, const float* b, float* c, int n) {
  __shared__ float tile[128];
  float sum = 0;
  for (int t = 0; t < n; t += 128) {
    tile[threadIdx.x] = a[t + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 128; ++k) sum += tile[k] * b[(t + k) * 128 + threadIdx.x];
  }
  c[threadIdx.x] = sum;
}
