// Clusters of points: the device assigns, the host moves the centres, until no point changes. Needs nothing beyond
// compute capability 1.0.
#include "program.h"

const int kClusters = 5;
__constant__ float centres[kClusters * 2];

__host__ __device__ inline int nearest(const float* centre, float x, float y) {
  int best = 0;
  float least = 1e30f;
  for (int c = 0; c < kClusters; c++) {
    float dx = x - centre[2 * c], dy = y - centre[2 * c + 1], distance = dx * dx + dy * dy;
    if (distance < least) least = distance, best = c;
  }
  return best;
}
__global__ void assign(const float2* points, int* cluster, int* changed, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int best = nearest(centres, points[i].x, points[i].y);
  if (best != cluster[i]) *changed = 1;
  cluster[i] = best;
}

int main() {
  const int n = 1500;
  std::vector<float2> points(n);
  unsigned state = 41;
  for (int i = 0; i < n; i++)
    points[i] = make_float2(i % kClusters * 3 + draw_float(state), i % kClusters % 2 * 4 + draw_float(state));
  float centre[kClusters * 2];
  for (int c = 0; c < kClusters; c++) centre[2 * c] = points[c * 7].x + c * 0.1f, centre[2 * c + 1] = points[c * 7].y;
  Array<float2> on_points(points);
  Array<int> cluster(std::vector<int>(n, -1)), changed(1);
  int rounds = 0, more = 1, wrong = 0;
  std::vector<int> of;
  for (; more != 0 && rounds < 50; rounds++) {
    CHECK(cudaMemcpyToSymbol(centres, centre, sizeof centre));
    CHECK(cudaMemset(changed, 0, sizeof(int)));
    assign<<<(n + 127) / 128, 128>>>(on_points, cluster, changed, n);
    of = cluster.get();
    CHECK(cudaMemcpy(&more, changed, sizeof more, cudaMemcpyDeviceToHost));
    double sums[kClusters][3] = {};
    for (int i = 0; i < n; i++) sums[of[i]][0] += points[i].x, sums[of[i]][1] += points[i].y, sums[of[i]][2]++;
    for (int c = 0; c < kClusters; c++)
      for (int d = 0; d < 2; d++)
        if (sums[c][2] > 0) centre[2 * c + d] = sums[c][d] / sums[c][2];
  }
  for (int i = 0; i < n; i++) wrong += of[i] != nearest(centre, points[i].x, points[i].y);
  return verdict("kmeans", wrong + (rounds < 2 || rounds == 50));
}
