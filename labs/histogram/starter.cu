// Lab "histogram": bins[v] is how often the value v (from 0 to 63) is among the n elements of data.
// Blocks of 128 threads, eight elements for each thread. This version is right, but all threads change the same few words
// of global memory.
#define BINS 64
#define BLOCK 128
#define EACH 8
__global__ void histogram(const unsigned* data, unsigned* bins, int n) {
  // 1. Counts of the block in shared memory, which begin with 0.
  // 2. Count there.
  // 3. Add the counts of the block to `bins`, once for each bin.
  int first = blockIdx.x * BLOCK * EACH + threadIdx.x;
  for (int k = 0; k < EACH; ++k)
    if (first + k * BLOCK < n) atomicAdd(&bins[data[first + k * BLOCK]], 1u);
}
