// Votes of warps and counts of blocks: a compaction that keeps the order. Needs compute capability 2.0 (votes, barriers
// that count).
#include "program.h"

__global__ void compact(const int* in, int* out, int* kept, int* any) {
  __shared__ int of_warp[4];
  int i = blockIdx.x * 128 + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  bool keep = in[i] % 3 == 0;
  unsigned votes = __ballot_sync(0xffffffff, keep);
  if (lane == 0) of_warp[warp] = __popc(votes);
  int all = __syncthreads_count(keep);
  int place = __popc(votes & ((1u << lane) - 1));
  for (int w = 0; w < warp; w++) place += of_warp[w];
  if (keep) out[blockIdx.x * 128 + place] = in[i];
  if (threadIdx.x == 0) kept[blockIdx.x] = all;
  if (__any_sync(0xffffffff, in[i] == 500) && lane == 0) any[blockIdx.x * 4 + warp] = 1;
  if (__all_sync(0xffffffff, in[i] < 0)) any[blockIdx.x * 4 + warp] = 2;
  if (__syncthreads_or(in[i] == 7) && threadIdx.x == 0) kept[blockIdx.x] += 1000;
}

int main() {
  const int blocks = 6, n = blocks * 128;
  std::vector<int> in(n), out(n, -1), kept(blocks, 0), any(blocks * 4, 0);
  unsigned state = 43;
  for (int i = 0; i < n; i++) in[i] = draw(state) % 1000;
  in[200] = 500, in[300] = 7;
  std::vector<bool> has_seven(blocks);
  for (int i = 0; i < n; i++) {
    if (in[i] % 3 == 0) out[i / 128 * 128 + kept[i / 128]++] = in[i];
    if (in[i] == 500) any[i / 32] = 1;
    if (in[i] == 7) has_seven[i / 128] = true;
  }
  for (int i = 0; i < blocks; i++) kept[i] += has_seven[i] ? 1000 : 0;
  Array<int> on_in(in), on_out(std::vector<int>(n, -1)), on_kept(blocks), on_any(std::vector<int>(blocks * 4, 0));
  compact<<<blocks, 128>>>(on_in, on_out, on_kept, on_any);
  return verdict("votes", differences(on_out.get(), out) + differences(on_kept.get(), kept) + differences(on_any.get(), any));
}
