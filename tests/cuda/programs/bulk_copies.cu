// cp.async.bulk: one thread copies a tile to shared memory, whose bytes an mbarrier object counts, and back, or adds it
// to what is there. Needs compute capability 9.0 (bulk copies).
//   nvcc -ptx -std=c++17 -arch=compute_90 -lineinfo bulk_copies.cu -o bulk_copies.ptx
// flags: -arch=compute_90
#include <cstdint>
#include <cuda/barrier>

#include "program.h"

const int kWords = 1024;

__global__ void increment(const unsigned* in, unsigned* out, unsigned* sums) {
#pragma nv_diag_suppress static_var_with_dynamic_init
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ alignas(128) unsigned tile[kWords];
  __shared__ Barrier copied;
  if (threadIdx.x == 0) {
    init(&copied, blockDim.x);
    cuda::device::experimental::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  Barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cuda::device::experimental::cp_async_bulk_global_to_shared(tile, in + blockIdx.x * kWords, sizeof tile, copied);
    token = cuda::device::barrier_arrive_tx(copied, 1, sizeof tile);
  } else {
    token = copied.arrive();
  }
  copied.wait(std::move(token));
  for (int i = threadIdx.x; i < kWords; i += blockDim.x) tile[i] += i;
  cuda::device::experimental::fence_proxy_async_shared_cta();
  __syncthreads();
  if (threadIdx.x != 0) return;
  cuda::device::experimental::cp_async_bulk_shared_to_global(out + blockIdx.x * kWords, tile, sizeof tile);
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(sums),
               "r"((unsigned)__cvta_generic_to_shared(tile)), "r"((unsigned)sizeof tile)
               : "memory");
  cuda::device::experimental::cp_async_bulk_commit_group();
  cuda::device::experimental::cp_async_bulk_wait_group_read<0>();
}

int main() {
  const int blocks = 3, n = blocks * kWords;
  std::vector<unsigned> in(n), expected(n), sums(kWords);
  unsigned state = 17;
  for (unsigned& x : in) x = draw(state);
  for (int i = 0; i < n; i++) {
    expected[i] = in[i] + i % kWords;
    sums[i % kWords] += expected[i];
  }
  Array<unsigned> on_in(in), on_out(n), on_sums(std::vector<unsigned>(kWords, 0));
  increment<<<blocks, 96>>>(on_in, on_out, on_sums);
  return verdict("bulk_copies", differences(on_out.get(), expected) + differences(on_sums.get(), sums));
}
