// Memory of pools: the default one with its statistics, and one of the program's own. Needs memory pools, and nothing
// beyond compute capability 1.0.
#include "program.h"

__global__ void fill(int* x, int value) { x[threadIdx.x] = value; }

int main() {
  const int n = 256;
  cudaMemPool_t pool, own;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
  unsigned long long threshold = ~0ull, used = 0, after = 0;
  CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
  int *x, *y, got[n], wrong = 0;
  CHECK(cudaMallocAsync((void**)&x, n * sizeof(int), stream));
  CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &after));
  wrong += after < used + n * sizeof(int);
  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  CHECK(cudaMemPoolCreate(&own, &properties));
  CHECK(cudaMallocFromPoolAsync((void**)&y, n * sizeof(int), own, stream));
  fill<<<1, n, 0, stream>>>(x, 3);
  fill<<<1, n, 0, stream>>>(y, 4);
  CHECK(cudaMemcpyAsync(got, y, sizeof got, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaFreeAsync(y, stream));
  CHECK(cudaFreeAsync(x, stream));
  CHECK(cudaStreamSynchronize(stream));
  for (int value : got) wrong += value != 4;
  CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &after));
  wrong += after != used;
  CHECK(cudaMemPoolTrimTo(pool, 0));
  CHECK(cudaMemPoolDestroy(own));
  return verdict("memory_pools", wrong);
}
