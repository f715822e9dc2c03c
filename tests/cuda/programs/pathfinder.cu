// The cheapest way through a grid, several rows per launch with halos in shared memory. Needs nothing beyond compute
// capability 1.0.
#include <algorithm>

#include "program.h"

const int kBlock = 64, kRows = 4, kInner = kBlock - 2 * kRows;

__global__ void rows(const int* cost, const int* from, int* to, int width, int first, int count) {
  __shared__ int best[2][kBlock];
  int x = blockIdx.x * kInner + threadIdx.x - kRows, t = threadIdx.x, now = 0;
  const int far = 1 << 28;
  best[0][t] = x >= 0 && x < width ? from[x] : far;
  __syncthreads();
  for (int row = 0; row < count; row++, now ^= 1) {
    int value = best[now][t];
    if (t > 0) value = min(value, best[now][t - 1]);
    if (t < kBlock - 1) value = min(value, best[now][t + 1]);
    best[now ^ 1][t] = x >= 0 && x < width ? value + cost[(first + row) * width + x] : far;
    __syncthreads();
  }
  if (t >= kRows && t < kBlock - kRows && x < width) to[x] = best[now][t];
}

int main() {
  const int width = 500, height = 19;
  std::vector<int> cost(width * height);
  unsigned state = 31;
  for (int& c : cost) c = draw(state) % 10;
  std::vector<int> best(cost.begin(), cost.begin() + width), next(width);
  Array<int> on_cost(cost), a(best), b(width);
  int *from = a, *to = b;
  for (int row = 1; row < height; row += kRows, std::swap(from, to))
    rows<<<(width + kInner - 1) / kInner, kBlock>>>(on_cost, from, to, width, row, std::min(kRows, height - row));
  for (int row = 1; row < height; row++, best = next)
    for (int x = 0; x < width; x++)
      next[x] = cost[row * width + x] + std::min({best[x], best[std::max(x - 1, 0)], best[std::min(x + 1, width - 1)]});
  CHECK(cudaMemcpy(next.data(), from, width * sizeof(int), cudaMemcpyDeviceToHost));
  return verdict("pathfinder", differences(next, best));
}
