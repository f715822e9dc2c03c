// Cooperative groups within blocks: tiles of warps that shuffle, vote and reduce, and the block as a group. Needs compute
// capability 3.0 (shuffle).
#include <cooperative_groups.h>

#include "program.h"

template <int kTile>
__global__ void sums(const int* in, int* out, unsigned* votes) {
  cooperative_groups::thread_block block = cooperative_groups::this_thread_block();
  cooperative_groups::thread_block_tile<kTile> tile = cooperative_groups::tiled_partition<kTile>(block);
  int i = blockIdx.x * blockDim.x + block.thread_rank(), sum = in[i];
  for (int half = kTile / 2; half > 0; half /= 2) sum += tile.shfl_down(sum, half);
  unsigned odd = tile.ballot(in[i] % 2);
  int high = tile.shfl(in[i], kTile - 1);
  block.sync();
  if (tile.thread_rank() == 0) out[i / kTile] = sum + high, votes[i / kTile] = odd;
}

template <int kTile>
int test(const std::vector<int>& values) {
  int n = (int)values.size();
  std::vector<int> expected(n / kTile, 0);
  std::vector<unsigned> odd(n / kTile, 0);
  for (int i = 0; i < n; i++) {
    expected[i / kTile] += values[i] + (i % kTile == kTile - 1 ? values[i] : 0);
    odd[i / kTile] |= (unsigned)(values[i] % 2) << i % kTile;
  }
  Array<int> in(values), out(n / kTile);
  Array<unsigned> votes(n / kTile);
  sums<kTile><<<n / 128, 128>>>(in, out, votes);
  return differences(out.get(), expected) + differences(votes.get(), odd);
}

int main() {
  std::vector<int> values(512);
  unsigned state = 83;
  for (int& value : values) value = draw(state) % 1000;
  int wrong = test<32>(values) + test<16>(values) + test<4>(values);
  return verdict("tiles", wrong);
}
