// Alignment of two sequences: the table of scores, a launch for each diagonal of tiles. Needs nothing beyond compute
// capability 1.0.
#include <algorithm>

#include "program.h"

const int kTile = 16, kGap = 2;

__host__ __device__ inline int best(int corner, int left, int up, bool same) {
  int score = corner + (same ? 3 : -1);
  if (left - kGap > score) score = left - kGap;
  return up - kGap > score ? up - kGap : score;
}
__global__ void diagonal(const char* a, const char* b, int* table, int width, int tile_row) {
  __shared__ int part[kTile + 1][kTile + 1];
  int t = threadIdx.x, tiles = (width - 1) / kTile;
  int ty = min(tile_row, tiles - 1) - blockIdx.x, tx = tile_row - ty;
  int x0 = tx * kTile, y0 = ty * kTile;
  part[0][t + 1] = table[y0 * width + x0 + t + 1];
  part[t + 1][0] = table[(y0 + t + 1) * width + x0];
  if (t == 0) part[0][0] = table[y0 * width + x0];
  __syncthreads();
  for (int d = 0; d < 2 * kTile - 1; d++) {
    int x = t + 1, y = d - t + 1;
    if (y >= 1 && y <= kTile)
      part[y][x] = best(part[y - 1][x - 1], part[y][x - 1], part[y - 1][x], a[x0 + x - 1] == b[y0 + y - 1]);
    __syncthreads();
  }
  for (int y = 1; y <= kTile; y++) table[(y0 + y) * width + x0 + t + 1] = part[y][t + 1];
}

int main() {
  const int n = 96, width = n + 1, tiles = n / kTile;
  std::vector<char> a(n), b(n);
  std::vector<int> table(width * width, 0), expected;
  unsigned state = 13;
  for (char& c : a) c = "ACGT"[draw(state) % 4];
  for (char& c : b) c = "ACGT"[draw(state) % 4];
  for (int i = 0; i < width; i++) table[i] = table[i * width] = -kGap * i;
  Array<char> on_a(a), on_b(b);
  Array<int> on_table(table);
  for (int row = 0; row < 2 * tiles - 1; row++)
    diagonal<<<std::min(row + 1, 2 * tiles - 1 - row), kTile>>>(on_a, on_b, on_table, width, row);
  for (int y = 1; y < width; y++)
    for (int x = 1; x < width; x++)
      table[y * width + x] = best(table[(y - 1) * width + x - 1], table[y * width + x - 1], table[(y - 1) * width + x],
                                  a[x - 1] == b[y - 1]);
  return verdict("needleman_wunsch", differences(on_table.get(), table));
}
