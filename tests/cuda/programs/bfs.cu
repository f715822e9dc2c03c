// Breadth-first search, a level per launch, until no node is new. Needs nothing beyond compute capability 1.0.
#include <queue>

#include "program.h"

__global__ void expand(const int* starts, const int* edges, int* levels, int level, int nodes, int* again) {
  int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes || levels[node] != level) return;
  for (int i = starts[node]; i < starts[node + 1]; i++)
    if (levels[edges[i]] < 0) levels[edges[i]] = level + 1, *again = 1;
}

int main() {
  const int nodes = 2000;
  std::vector<int> starts{0}, edges, levels(nodes, -1), expected(nodes, -1);
  unsigned state = 33;
  for (int node = 0; node < nodes; node++) {
    for (int i = draw(state) % 4; i > 0; i--) edges.push_back(draw(state) % nodes);
    starts.push_back((int)edges.size());
  }
  std::queue<int> waiting({0});
  expected[0] = levels[0] = 0;
  for (; !waiting.empty(); waiting.pop())
    for (int i = starts[waiting.front()]; i < starts[waiting.front() + 1]; i++)
      if (expected[edges[i]] < 0) expected[edges[i]] = expected[waiting.front()] + 1, waiting.push(edges[i]);
  Array<int> on_starts(starts), on_edges(edges), on_levels(levels), again(1);
  int level = 0, more = 1;
  for (; more != 0; level++) {
    CHECK(cudaMemset(again, 0, sizeof(int)));
    expand<<<(nodes + 127) / 128, 128>>>(on_starts, on_edges, on_levels, level, nodes, again);
    CHECK(cudaMemcpy(&more, again, sizeof more, cudaMemcpyDeviceToHost));
  }
  return verdict("bfs", differences(on_levels.get(), expected) + (level < 3));
}
