// Barriers of libcu++ in shared memory: threads that copy arrive at one when their copies are complete, and one half of
// a block hands over to the other. Needs compute capability 8.0 (mbarrier objects).
//   nvcc -ptx -std=c++17 -arch=compute_80 -lineinfo block_barriers.cu -o block_barriers.ptx
// flags: -arch=compute_80
#include <cooperative_groups.h>
#include <cuda/barrier>

#include "program.h"

__global__ void reverse(const int* in, int* out, int n) {
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::barrier<cuda::thread_scope_block> copied;
  __shared__ int tile[256];
  auto block = cooperative_groups::this_thread_block();
  if (block.thread_rank() == 0) init(&copied, block.size());
  block.sync();
  for (int at = 0; at < n; at += 256) {
    cuda::memcpy_async(block, tile, in + at, sizeof(int) * 256, copied);
    copied.arrive_and_wait();
    out[at + threadIdx.x] = tile[255 - threadIdx.x];
    block.sync();
  }
}

__global__ void hand_over(int* out, int rounds) {
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::barrier<cuda::thread_scope_block> full, empty;
  __shared__ int slot[64];
  int half = blockDim.x / 2, t = threadIdx.x % half;
  if (threadIdx.x == 0) {
    init(&full, blockDim.x);
    init(&empty, blockDim.x);
  }
  __syncthreads();
  if (threadIdx.x < half) {
    for (int i = 0; i < rounds; i++) {
      slot[t] = i * 1000 + t;
      full.arrive_and_wait();
      empty.arrive_and_wait();
    }
  } else {
    for (int i = 0; i < rounds; i++) {
      full.arrive_and_wait();
      out[i * half + t] = slot[half - 1 - t];
      empty.arrive_and_wait();
    }
  }
}

int main() {
  const int n = 1024, rounds = 6, half = 64;
  std::vector<int> in(n), expected(n), handed(rounds * half);
  unsigned state = 9;
  for (int& x : in) x = draw(state);
  for (int i = 0; i < n; i++) expected[i] = in[i / 256 * 256 + 255 - i % 256];
  for (int i = 0; i < rounds * half; i++) handed[i] = i / half * 1000 + half - 1 - i % half;
  Array<int> on_in(in), on_out(n), on_handed(rounds * half);
  reverse<<<1, 256>>>(on_in, on_out, n);
  hand_over<<<1, 2 * half>>>(on_handed, rounds);
  return verdict("block_barriers", differences(on_out.get(), expected) + differences(on_handed.get(), handed));
}
