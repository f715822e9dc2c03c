// Shortest paths between all pairs, a launch for each node on the way. Needs nothing beyond compute capability 1.0.
#include "program.h"

__global__ void shorten(int* distance, int n, int by) {
  int to = blockIdx.x * blockDim.x + threadIdx.x, from = blockIdx.y;
  if (to >= n) return;
  int detour = distance[from * n + by] + distance[by * n + to];
  if (detour < distance[from * n + to]) distance[from * n + to] = detour;
}

int main() {
  const int n = 40, far = 1 << 28;
  std::vector<int> distance(n * n, far);
  unsigned state = 67;
  for (int i = 0; i < n; i++) {
    distance[i * n + i] = 0;
    for (int e = 0; e < 4; e++) distance[i * n + draw(state) % n] = 1 + draw(state) % 30;
  }
  Array<int> on_device(distance);
  for (int by = 0; by < n; by++) shorten<<<dim3((n + 31) / 32, n), 32>>>(on_device, n, by);
  for (int by = 0; by < n; by++)
    for (int i = 0; i < n * n; i++) {
      int detour = distance[i / n * n + by] + distance[by * n + i % n];
      if (detour < distance[i]) distance[i] = detour;
    }
  return verdict("floyd_warshall", differences(on_device.get(), distance));
}
