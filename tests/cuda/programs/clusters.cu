// A histogram whose bins are spread over the shared memory of the blocks of a cluster. Needs compute capability 9.0
// (clusters).
//   nvcc -ptx -std=c++17 -arch=compute_90 -lineinfo clusters.cu -o clusters.ptx
// flags: -arch=compute_90
#include <cooperative_groups.h>

#include "program.h"

const int kBlocks = 4, kBins = 64;  // bins of each block

__global__ void __cluster_dims__(4, 1, 1) histogram(const int* in, int* out, int n) {
  __shared__ int bins[kBins];
  cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  for (int i = threadIdx.x; i < kBins; i += blockDim.x) bins[i] = 0;
  cluster.sync();
  for (int i = cluster.thread_rank(); i < n; i += cluster.num_threads()) {
    int bin = in[i] % (kBins * kBlocks);
    atomicAdd(cluster.map_shared_rank(bins, bin / kBins) + bin % kBins, 1);
  }
  cluster.sync();
  for (int i = threadIdx.x; i < kBins; i += blockDim.x) out[cluster.block_rank() * kBins + i] = bins[i];
}

int main() {
  const int n = 5000;
  std::vector<int> in(n), expected(kBlocks * kBins);
  unsigned state = 23;
  for (int& x : in) {
    x = draw(state) % 100000;
    expected[x % (kBlocks * kBins)]++;
  }
  Array<int> on_in(in), on_out(kBlocks * kBins);
  histogram<<<kBlocks, 96>>>(on_in, on_out, n);
  return verdict("clusters", differences(on_out.get(), expected));
}
