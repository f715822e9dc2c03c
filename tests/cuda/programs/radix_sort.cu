// Radix sort, four bits at a time: counts of each block, their prefix sums, and a stable distribution. Needs nothing
// beyond compute capability 1.0.
#include <algorithm>

#include "program.h"

const int kThreads = 64, kEach = 8, kDigits = 16;

__global__ void count(const unsigned* keys, int* counts, int shift, int n) {
  __shared__ int bins[kDigits][kThreads];
  int first = (blockIdx.x * kThreads + threadIdx.x) * kEach;
  for (int d = 0; d < kDigits; d++) bins[d][threadIdx.x] = 0;
  for (int i = first; i < first + kEach && i < n; i++) bins[(keys[i] >> shift) % kDigits][threadIdx.x]++;
  for (int d = 0; d < kDigits; d++)
    counts[d * gridDim.x * kThreads + blockIdx.x * kThreads + threadIdx.x] = bins[d][threadIdx.x];
}
__global__ void exclusive_sums(int* counts, int n) {  // one block: a run of the array for each thread
  __shared__ int sums[kThreads];
  int each = (n + kThreads - 1) / kThreads, first = threadIdx.x * each, sum = 0;
  for (int i = first; i < first + each && i < n; i++) sum += counts[i];
  sums[threadIdx.x] = sum;
  __syncthreads();
  sum = 0;
  for (int i = 0; i < threadIdx.x; i++) sum += sums[i];
  for (int i = first; i < first + each && i < n; i++) {
    int here = counts[i];
    counts[i] = sum;
    sum += here;
  }
}
__global__ void distribute(const unsigned* keys, unsigned* out, const int* places, int shift, int n) {
  int first = (blockIdx.x * kThreads + threadIdx.x) * kEach, next[kDigits];
  for (int d = 0; d < kDigits; d++)
    next[d] = places[d * gridDim.x * kThreads + blockIdx.x * kThreads + threadIdx.x];
  for (int i = first; i < first + kEach && i < n; i++) out[next[(keys[i] >> shift) % kDigits]++] = keys[i];
}

int main() {
  const int n = 3000, blocks = (n + kThreads * kEach - 1) / (kThreads * kEach), sums = blocks * kThreads * kDigits;
  std::vector<unsigned> keys(n);
  unsigned state = 77;
  for (unsigned& key : keys) key = draw(state) >> 12;
  Array<unsigned> a(keys), b(n);
  Array<int> counts(sums);
  unsigned *from = a, *to = b;
  for (int shift = 0; shift < 24; shift += 4, std::swap(from, to)) {
    count<<<blocks, kThreads>>>(from, counts, shift, n);
    exclusive_sums<<<1, kThreads>>>(counts, sums);
    distribute<<<blocks, kThreads>>>(from, to, counts, shift, n);
  }
  std::sort(keys.begin(), keys.end());
  return verdict("radix_sort", differences(a.get(), keys));
}
