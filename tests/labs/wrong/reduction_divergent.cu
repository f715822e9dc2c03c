// Wrong: every second, every fourth, ... thread adds, so that lanes of all warps diverge.
#define BLOCK 256
__global__ void reduce(const int* in, int* sums, int n) {
  __shared__ int part[BLOCK];
  int i = blockIdx.x * BLOCK + threadIdx.x;
  part[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (int step = 1; step < BLOCK; step *= 2) {
    if (threadIdx.x % (2 * step) == 0) part[threadIdx.x] += part[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}
