// Transposes a matrix three ways: as it is, through shared memory, and with a padded tile. Needs nothing beyond compute
// capability 1.0.
#include "program.h"

__global__ void plain(const int* in, int* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[x * height + y] = in[y * width + x];
}
template <int kPadding>
__global__ void tiled(const int* in, int* out, int width, int height) {
  __shared__ int tile[16][16 + kPadding];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x];
  __syncthreads();
  x = blockIdx.y * 16 + threadIdx.x;
  y = blockIdx.x * 16 + threadIdx.y;
  if (x < height && y < width) out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}

int main() {
  const int width = 90, height = 75;
  std::vector<int> values(width * height), expected(width * height);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) expected[x * height + y] = values[y * width + x] = y * 1000 + x;
  Array<int> in(values), out(width * height);
  dim3 grid((width + 15) / 16, (height + 15) / 16), block(16, 16);
  int wrong = 0;
  for (int way = 0; way < 3; way++) {
    CHECK(cudaMemset(out, 0, width * height * sizeof(int)));
    if (way == 0) plain<<<grid, block>>>(in, out, width, height);
    if (way == 1) tiled<0><<<grid, block>>>(in, out, width, height);
    if (way == 2) tiled<1><<<grid, block>>>(in, out, width, height);
    wrong += differences(out.get(), expected);
  }
  return verdict("transpose", wrong);
}
