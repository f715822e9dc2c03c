// Sparse rows and graphs. Row r of n has 1 to 15 entries (8 on average), chosen by a hash; columns are random or near.
//
//   nvcc -ptx -arch=compute_75 -lineinfo graph.cu -o graph.ptx
#include "digest.cuh"

// Not measured: starts[r], r = 0 to n, is where row r begins.
extern "C" __global__ void make_rows(unsigned* starts, unsigned n) {
  unsigned r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r <= n) starts[r] = 8 * r + (r == 0 || r == n ? 0 : (r * 2654435761u) >> 29);
}

// Not measured: columns near the row.
extern "C" __global__ void near_columns(unsigned* columns, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 8 * n) columns[i] = (i / 8 + (i * 2654435761u >> 26)) % n;
}

// Sparse matrix times vector, a thread for each row.
extern "C" __global__ void rows_scalar(const unsigned* starts, const unsigned* columns, const float* values,
                                       const float* x, float* y, unsigned n) {
  unsigned r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= n) return;
  float sum = 0;
  for (unsigned i = starts[r]; i < starts[r + 1]; ++i) sum = fmaf(values[i], x[columns[i]], sum);
  y[r] = sum;
}

// The same product, eight lanes for each row.
extern "C" __global__ void rows_vector(const unsigned* __restrict__ starts, const unsigned* __restrict__ columns,
                                       const float* __restrict__ values, const float* __restrict__ x, float* y,
                                       unsigned n) {
  unsigned r = (blockIdx.x * blockDim.x + threadIdx.x) / 8, lane = threadIdx.x % 8;
  float sum = 0;
  if (r < n)
    for (unsigned i = starts[r] + lane; i < starts[r + 1]; i += 8) sum = fmaf(values[i], x[columns[i]], sum);
  for (unsigned distance = 4; distance > 0; distance /= 2) sum += __shfl_xor_sync(~0u, sum, distance);
  if (r < n && lane == 0) y[r] = sum;
}

// One level of a breadth-first search: vertices of level `level` give `level` + 1 to neighbours that have none (0), in a copy.
extern "C" __global__ void bfs_level(const unsigned* starts, const unsigned* neighbours, const unsigned* levels,
                                     unsigned* next, unsigned* changed, unsigned n, unsigned level) {
  unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n || levels[v] != level) return;
  bool found = false;
  for (unsigned i = starts[v]; i < starts[v + 1]; ++i) {
    unsigned other = neighbours[i];
    if (levels[other] == 0) {
      next[other] = level + 1;
      found = true;
    }
  }
  if (found) *changed = 1;
}

// One step of PageRank: each vertex adds what its neighbours give to each of theirs.
extern "C" __global__ void page_rank(const unsigned* __restrict__ starts, const unsigned* __restrict__ neighbours,
                                     const float* __restrict__ rank, float* next, unsigned n, float damping) {
  unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  float sum = 0;
  for (unsigned i = starts[v], end = starts[v + 1]; i < end; ++i) {
    unsigned other = neighbours[i];
    sum += rank[other] / float(starts[other + 1] - starts[other]);
  }
  next[v] = fmaf(damping, sum, (1 - damping) / n);
}
