// Three stages of cuda::pipeline, and cooperative_groups::memcpy_async. Needs compute capability 8.0 (asynchronous
// copies).
//   nvcc -ptx -std=c++17 -arch=compute_80 -lineinfo staged_pipeline.cu -o staged_pipeline.ptx
// flags: -arch=compute_80
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/pipeline>

#include "program.h"

const int kStages = 3, kWords = 128;

__global__ void stages(const int* in, int* out, int tiles) {
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  __shared__ alignas(16) int tile[kStages][kWords];
  auto block = cooperative_groups::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  int begun = 0;
  for (int done = 0; done < tiles; done++) {
    for (; begun < tiles && begun < done + kStages; begun++) {
      pipeline.producer_acquire();
      cuda::memcpy_async(block, tile[begun % kStages], in + begun * kWords, cuda::aligned_size_t<16>(4 * kWords), pipeline);
      pipeline.producer_commit();
    }
    pipeline.consumer_wait();
    out[done * kWords + threadIdx.x] = tile[done % kStages][kWords - 1 - threadIdx.x] + done;
    pipeline.consumer_release();
  }
}

__global__ void exchange(const int* in, int* out) {
  __shared__ int tile[kWords];
  auto block = cooperative_groups::this_thread_block();
  cooperative_groups::memcpy_async(block, tile, in + blockIdx.x * kWords, sizeof(int) * kWords);
  cooperative_groups::wait(block);
  out[blockIdx.x * kWords + threadIdx.x] = tile[threadIdx.x ^ 5];
}

int main() {
  const int tiles = 7, n = tiles * kWords;
  std::vector<int> in(n), staged(n), exchanged(n);
  unsigned state = 11;
  for (int& x : in) x = draw(state) % 100000;
  for (int i = 0; i < n; i++) {
    staged[i] = in[i / kWords * kWords + kWords - 1 - i % kWords] + i / kWords;
    exchanged[i] = in[i ^ 5];
  }
  Array<int> on_in(in), on_staged(n), on_exchanged(n);
  stages<<<1, kWords>>>(on_in, on_staged, tiles);
  exchange<<<tiles, kWords>>>(on_in, on_exchanged);
  return verdict("staged_pipeline", differences(on_staged.get(), staged) + differences(on_exchanged.get(), exchanged));
}
