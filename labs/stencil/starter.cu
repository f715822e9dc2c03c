// Lab "stencil": out[i] = in[i - 3] + ... + in[i + 3]; elements outside of the array count as 0.
// Blocks of 128 threads, one element each. This version is right, but loads every element seven times.
#define RADIUS 3
#define BLOCK 128
__global__ void stencil(const int* in, int* out, int n) {
  // 1. An array in shared memory for the elements of the block and RADIUS more on both sides.
  // 2. Which threads load what is on the sides, and where does the array end?
  // 3. When may a thread read what others have loaded?
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  int sum = 0;
  for (int k = -RADIUS; k <= RADIUS; ++k)
    if (i + k >= 0 && i + k < n) sum += in[i + k];
  out[i] = sum;
}
