// Wrong: the first block loads elements before the array, the last one behind it.
#define RADIUS 3
#define BLOCK 128
__global__ void stencil(const int* in, int* out, int n) {
  __shared__ int tile[BLOCK + 2 * RADIUS];
  int i = blockIdx.x * BLOCK + threadIdx.x;
  int t = threadIdx.x + RADIUS;
  tile[t] = i < n ? in[i] : 0;
  if (threadIdx.x < RADIUS) {
    tile[t - RADIUS] = in[i - RADIUS];
    tile[t + BLOCK] = in[i + BLOCK];
  }
  __syncthreads();
  if (i >= n) return;
  int sum = 0;
  for (int k = -RADIUS; k <= RADIUS; ++k) sum += tile[t + k];
  out[i] = sum;
}
