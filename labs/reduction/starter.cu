// Lab "reduction": sums[b] is the sum of the 256 elements of block b (of fewer at the end).
// This version is right, but one thread does all the work of its block.
#define BLOCK 256
__global__ void reduce(const int* in, int* sums, int n) {
  // 1. Each thread loads one element into shared memory.
  // 2. In each step, half of the threads add what the other half has: which half keeps whole warps together?
  // 3. What has to be between two steps?
  if (threadIdx.x != 0) return;
  int sum = 0;
  for (int i = blockIdx.x * BLOCK; i < n && i < (blockIdx.x + 1) * BLOCK; ++i) sum += in[i];
  sums[blockIdx.x] = sum;
}
