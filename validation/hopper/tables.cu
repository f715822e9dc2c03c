// Dynamic programming: alignment of sequences along a diagonal of tiles, shortest paths, knapsack.
//
//   nvcc -ptx -arch=compute_75 -lineinfo tables.cu -o tables.ptx
#include "digest.cuh"

// Needleman and Wunsch: one diagonal of tiles of 32 x 32 of a square table of n + 1 scores a side, n a multiple of 32. A
// block of 32 threads computes tile (blockIdx.x, diagonal - blockIdx.x).
extern "C" __global__ void align_diagonal(const unsigned char* first, const unsigned char* second, int* score, int n,
                                          int diagonal, int gap) {
  __shared__ int tile[33][33];
  __shared__ unsigned char letters[32];
  int tx = threadIdx.x, pitch = n + 1, row = (diagonal - blockIdx.x) * 32, column = blockIdx.x * 32;
  tile[0][tx + 1] = score[row * pitch + column + tx + 1];
  tile[tx + 1][0] = score[(row + tx + 1) * pitch + column];
  if (tx == 0) tile[0][0] = score[row * pitch + column];
  letters[tx] = first[row + tx];
  unsigned char own = second[column + tx];
  __syncwarp();
  for (int step = 0; step < 63; ++step) {
    int ty = step - tx;
    if (ty >= 0 && ty < 32) {
      int matched = tile[ty][tx] + (letters[ty] == own ? 2 : -1);
      tile[ty + 1][tx + 1] = max(matched, max(tile[ty][tx + 1], tile[ty + 1][tx]) - gap);
    }
    __syncwarp();
  }
  for (int y = 1; y <= 32; ++y) score[(row + y) * pitch + column + tx + 1] = tile[y][tx + 1];
}

// Floyd and Warshall: ways by vertex k, a thread for each pair.
extern "C" __global__ void floyd_step(const int* distance, int* next, int n, int k) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n) return;
  int by_k = distance[y * n + k] + distance[k * n + x];
  next[y * n + x] = min(by_k, distance[y * n + x]);
}

// Knapsack: one block of 1024 threads takes `items` things in turn, with a barrier after each, for weights below 4096.
extern "C" __global__ void knapsack(const unsigned* weights, const unsigned* worth, unsigned* best, int items) {
  __shared__ unsigned value[2][4096];
  for (int w = threadIdx.x; w < 4096; w += 1024) value[0][w] = 0;
  __syncthreads();
  for (int i = 0; i < items; ++i) {
    unsigned weight = weights[blockIdx.x * items + i], gain = worth[blockIdx.x * items + i];
    for (unsigned w = threadIdx.x; w < 4096; w += 1024) {
      unsigned without = value[i & 1][w];
      value[(i & 1) ^ 1][w] = w >= weight ? max(without, value[i & 1][w - weight] + gain) : without;
    }
    __syncthreads();
  }
  for (int w = threadIdx.x; w < 4096; w += 1024) best[blockIdx.x * 4096 + w] = value[items & 1][w];
}
