// How many pairs of points on the sky lie how far apart: the counts from which the two-point angular correlation function
// is estimated (Landy and Szalay 1993). A block takes 256 points of one set, a thread each, and goes through tiles of 256
// points of the other; the cosine of a pair's distance is searched among the bins' edges.
//
// The G80 has no atomic operations on shared memory: every thread counts on its own, in 16 bits a bin, which hold a block's
// kTilesPerBlock * 256 points. A word holds the counters of two threads that lie half a warp apart, and the words of a
// half-warp lie in 16 banks, whatever bins its threads want.
//
//   nvcc -ptx -arch=compute_75 -lineinfo tpacf.cu -o tpacf.ptx
constexpr int kThreads = 256;
constexpr int kTilesPerBlock = 2;
constexpr int kBins = 20;
constexpr int kEdges = 31;            // kBins - 1, filled up with what no cosine lies below
constexpr int kWords = kThreads / 2;  // of a bin's counters
constexpr int kParts = 8;             // in which a bin's counters are added up
constexpr int kPartWords = kWords / kParts;

// Cosines of the bins' edges, from the smallest angle to the widest: falling.
__constant__ float edges[kEdges];

// A pair's bin is the number of edges that its cosine lies below. Five steps that all threads take, each at an edge that
// depends on the pair.
struct Binary {
  static __device__ int bin(float cosine) {
    int bin = 0;
#pragma unroll
    for (int step = (kEdges + 1) / 2; step > 0; step /= 2)
      if (cosine < edges[bin + step - 1]) bin += step;
    return bin;
  }
};

// From the widest angles, where most pairs lie, edge by edge: all threads look at the same one, until the last has found
// its bin.
struct Linear {
  static __device__ int bin(float cosine) {
    int bin = kBins - 1;
#pragma unroll 1
    while (bin > 0 && cosine >= edges[bin - 1]) --bin;
    return bin;
  }
};

// 256 points, from `first` on, into the tile: (x, y, z) each, in whole rows of words.
__device__ void load_tile(float* tile, const float* points, int first, int count) {
  int words = 3 * (count - first);
  points += 3 * first;
#pragma unroll
  for (int row = 0; row < 3; ++row) {
    int word = row * kThreads + threadIdx.x;
    if (word < words) tile[word] = points[word];
  }
}

// Block (x, y): tile x of a with tiles y * kTilesPerBlock and on of b. Where both are the same set only pairs i < j count.
// The block's counts go to its row of `rows`.
template <class Search>
__device__ void count_pairs(const float* a, int count_a, const float* b, int count_b, int same, unsigned* rows) {
  __shared__ float tile[3 * kThreads];
  __shared__ unsigned counters[kBins * kWords];
  unsigned t = threadIdx.x;
#pragma unroll 1
  for (unsigned word = t; word < kBins * kWords; word += kThreads) counters[word] = 0;
  unsigned short* mine = (unsigned short*)counters + ((t & 15) * 2 + (t >> 4 & 1) + (t >> 5) * 32);

  int i = blockIdx.x * kThreads + threadIdx.x;
  load_tile(tile, a, blockIdx.x * kThreads, count_a);
  __syncthreads();
  int own = min(i, count_a - 1) - blockIdx.x * kThreads;  // threads beyond the last point take that one
  float x = tile[3 * own], y = tile[3 * own + 1], z = tile[3 * own + 2];

  int first = blockIdx.y * kTilesPerBlock * kThreads, end = min(first + kTilesPerBlock * kThreads, count_b);
  if (same) first = max(first, (int)blockIdx.x * kThreads);
#pragma unroll 1
  for (; first < end; first += kThreads) {
    __syncthreads();
    load_tile(tile, b, first, count_b);
    __syncthreads();
    int last = i < count_a ? min(kThreads, end - first) : 0;
#pragma unroll 1
    for (int j = same ? max(i + 1 - first, 0) : 0; j < last; ++j) {
      float cosine = x * tile[3 * j] + y * tile[3 * j + 1] + z * tile[3 * j + 2];
      ++mine[Search::bin(cosine) * kThreads];
    }
  }
  __syncthreads();

  // Thread (bin, part) adds up 16 words, each thread beginning at another bank; then a thread a bin the parts.
  unsigned* parts = (unsigned*)tile;
  if (t < kBins * kParts) {
    unsigned bin = t / kParts, part = t % kParts, sum = 0;
#pragma unroll 1
    for (int w = 0; w < kPartWords; ++w) {
      unsigned two = counters[bin * kWords + part * kPartWords + ((w + t) & (kPartWords - 1))];
      sum += (two & 0xffff) + (two >> 16);
    }
    parts[t] = sum;
  }
  __syncthreads();
  if (t < kBins) {
    unsigned sum = 0;
#pragma unroll 1
    for (int part = 0; part < kParts; ++part) sum += parts[t * kParts + part];
    rows[(blockIdx.y * gridDim.x + blockIdx.x) * kBins + t] = sum;
  }
}

extern "C" __global__ void count_binary(const float* a, int count_a, const float* b, int count_b, int same,
                                        unsigned* rows) {
  count_pairs<Binary>(a, count_a, b, count_b, same, rows);
}

extern "C" __global__ void count_linear(const float* a, int count_a, const float* b, int count_b, int same,
                                        unsigned* rows) {
  count_pairs<Linear>(a, count_a, b, count_b, same, rows);
}

// Block b adds up bin b of all rows. 64 threads.
extern "C" __global__ void add_rows(const unsigned* rows, int count, unsigned long long* totals) {
  __shared__ unsigned long long sums[64];
  unsigned long long sum = 0;
#pragma unroll 1
  for (int row = threadIdx.x; row < count; row += 64) sum += rows[row * kBins + blockIdx.x];
  sums[threadIdx.x] = sum;
#pragma unroll 1
  for (int half = 32; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) totals[blockIdx.x] = sums[0];
}
