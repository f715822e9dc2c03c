// Lab "tiled product": C = A x B, matrices of n x n elements, n a multiple of 16; blocks of 16 x 16 threads.
// `naive` is given, and stays as it is: the lab compares the time of `tiled` with it.
#define TILE 16
__global__ void naive(const float* a, const float* b, float* c, int n) {
  int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}
__global__ void tiled(const float* a, const float* b, float* c, int n) {
  // 1. A tile of A and a tile of B in shared memory: which elements does this thread load?
  // 2. Multiply the two tiles.
  // 3. Where do barriers have to be? There are two reasons for one.
}
