// A histogram without atomics: bins of each thread in shared memory, summed up by a second kernel. Needs nothing beyond
// compute capability 1.0.
#include "program.h"

const int kBins = 64, kThreads = 64, kBlocks = 8;

__global__ void count(const unsigned char* data, int n, unsigned* parts) {
  __shared__ unsigned char bins[kBins * kThreads];
  for (int i = 0; i < kBins; i++) bins[i * kThreads + threadIdx.x] = 0;
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += kThreads * kBlocks)
    bins[(data[i] >> 2) * kThreads + threadIdx.x]++;
  __syncthreads();
  unsigned sum = 0;
  for (int i = 0; i < kThreads; i++) sum += bins[threadIdx.x * kThreads + (i + threadIdx.x) % kThreads];
  parts[blockIdx.x * kBins + threadIdx.x] = sum;
}
__global__ void merge(const unsigned* parts, unsigned* bins) {
  unsigned sum = 0;
  for (int i = 0; i < kBlocks; i++) sum += parts[i * kBins + threadIdx.x];
  bins[threadIdx.x] = sum;
}

int main() {
  const int n = 40000;
  std::vector<unsigned char> data(n);
  std::vector<unsigned> expected(kBins, 0);
  unsigned state = 7;
  for (auto& byte : data) byte = draw(state), expected[byte >> 2]++;
  Array<unsigned char> on_device(data);
  Array<unsigned> parts(kBlocks * kBins), bins(kBins);
  count<<<kBlocks, kThreads>>>(on_device, n, parts);
  merge<<<1, kBins>>>(parts, bins);
  return verdict("histogram_private", differences(bins.get(), expected));
}
