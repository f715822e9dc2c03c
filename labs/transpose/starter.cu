// Lab "transpose": out[x][y] = in[y][x], of a matrix with `height` rows of `width` elements.
// Blocks of 16 x 16 threads. This version is right, but its stores do not coalesce.
#define TILE 16
__global__ void transpose(const float* in, float* out, int width, int height) {
  // 1. A tile in shared memory, written row by row.
  // 2. After a barrier, read it column by column, so that the stores go row by row.
  // 3. In which banks are the words of a column?
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  if (x < width && y < height) out[x * height + y] = in[y * width + x];
}
