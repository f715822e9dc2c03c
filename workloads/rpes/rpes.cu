// Electron repulsion integrals (ij|kl) of contracted s and p functions by Rys quadrature (Dupuis, Rys and King 1976): each
// thread computes one integral, a block those of one pair ij with 256 pairs kl. Pairs are sorted by the components of
// their two functions and padded to whole warps, so that all threads of a warp compute the same kind of integral; only
// the range of x in which a table of roots and weights is looked up differs between them.
//
//   nvcc -ptx -arch=compute_75 -lineinfo rpes.cu -o rpes.ptx
constexpr int kThreads = 256;
constexpr int kPrimitives = 9;                      // of a pair: 3 x 3
constexpr int kHead = 3, kWords = 5;                // of a pair: components and two centres; then for each primitive
constexpr int kPairWords = kHead + kPrimitives * kWords;
constexpr int kPoints = 3;                          // of the quadrature, at most
constexpr int kRanges = 8, kCoefficients = 8, kRows = kPoints * (kPoints + 1);

// Rows are root and weight in turn, of one point, of two, of three. In a range of x each is a polynomial of x - middle,
// the highest power first; beyond the last range roots are asymptotes / x, weights asymptotes / sqrt(x).
constexpr int kTable = kRows * kCoefficients * kRanges;
__constant__ float coefficients[kTable];  // by row, power and range
__constant__ float asymptotes[kRows];
__constant__ float middles[kRanges];

// A root and its weight, both as polynomials of y; `c` lies at the range in the row of the root.
__device__ void evaluate(const float* c, float y, float& root, float& weight) {
  constexpr int kRow = kCoefficients * kRanges;
  root = c[0];
  weight = c[kRow];
#pragma unroll
  for (int i = 1; i < kCoefficients; ++i) {
    root = root * y + c[i * kRanges];
    weight = weight * y + c[kRow + i * kRanges];
  }
}

// Each thread reads the coefficients of its own range from a copy in shared memory: those of different ranges lie in
// different banks.
struct Shared {
  __device__ Shared() {
#pragma unroll
    for (int word = 0; word < kTable; word += kThreads) copy()[word + threadIdx.x] = coefficients[word + threadIdx.x];
  }
  static __device__ float* copy() {
    __shared__ float table[kTable];
    return table;
  }
  static __device__ void look_up(int range, int row, float y, float& root, float& weight) {
    evaluate(copy() + row * kCoefficients * kRanges + range, y, root, weight);
  }
};

// Coefficients from constant memory, which serves one range after the other.
struct Constant {
  static __device__ void look_up(int range, int row, float y, float& root, float& weight) {
    evaluate(coefficients + row * kCoefficients * kRanges + range, y, root, weight);
  }
};

// Range by range, and only threads whose range it is go in: all read the same coefficients.
struct Branches {
  static __device__ void look_up(int range, int row, float y, float& root, float& weight) {
#pragma unroll 1
    for (int at = 0; at < kRanges; ++at)
      if (at == range) evaluate(coefficients + row * kCoefficients * kRanges + at, y, root, weight);
  }
};

// pairs: words of all pairs one after the other, gridDim.y pairs with padding. integrals: for each pair those with itself
// and the pairs before it, rows of whole warps.
template <class Table>
__device__ void repulsion(const float* pairs, float* integrals) {
  __shared__ float bra[kPairWords];
  __shared__ float centre[3][kThreads];  // of each thread's primitive of kl, by component: registers have no index
  int t = threadIdx.x, slots = gridDim.y, row = blockIdx.y, column = blockIdx.x * kThreads + t;
  if (blockIdx.x * kThreads > row) return;
  Table table;
  if (t < kPairWords) bra[t] = pairs[t * slots + row];
  __syncthreads();
  if (column > row) return;
  pairs += column;
  int ij = __float_as_int(bra[0]), kl = __float_as_int(pairs[0]);
  if (ij < 0 || kl < 0) return;  // padding
  int i = ij & 3, j = ij >> 2, k = kl & 3, l = kl >> 2;  // components, 0 of an s function, which is the first of its pair
  float centre_k = pairs[slots], centre_l = pairs[2 * slots];
  pairs += kHead * slots;

  int count = ((i > 0) + (j > 0) + (k > 0) + (l > 0)) / 2 + 1;  // of points
  float total = 0.0f;
#pragma unroll 1
  for (int primitive = 0; primitive < kPrimitives; ++primitive) {
    float q = pairs[0], sum = 0.0f;
#pragma unroll
    for (int component = 0; component < 3; ++component) centre[component][t] = pairs[(1 + component) * slots];
#pragma unroll 1
    for (const float* b = bra + kHead; b < bra + kPairWords; b += kWords) {
      float p = b[0], dx = b[1] - centre[0][t], dy = b[2] - centre[1][t], dz = b[3] - centre[2][t];
      float scale = rsqrtf(p + q), inverse = scale * scale;
      float x = p * q * inverse * (dx * dx + dy * dy + dz * dz);
      // Ranges begin at r^2 / 2. (x may be 0.)
      float y = rsqrtf(x + 1e-20f);
      int range = 1.41421356f * x * y;
      if (range < kRanges) y = x - middles[range];
      float value = 0.0f;
#pragma unroll 1
      for (int r = count * (count - 1); r < count * (count + 1); r += 2) {
        float u, w;
        if (range < kRanges) {
          table.look_up(range, r, y, u, w);
        } else {
          u = asymptotes[r] * (y * y);
          w = asymptotes[r + 1] * y;
        }
        // The recursions of the two-dimensional integrals, a p function at a time.
        float s = u * inverse, cross = 0.5f * s, product = 1.0f, mean_i = 1.0f, mean_j = 1.0f;
        if (j) product = mean_j = b[j] - bra[2] - s * q * (b[j] - centre[j - 1][t]);
        if (i) {
          mean_i = b[i] - bra[1] - s * q * (b[i] - centre[i - 1][t]);
          product *= mean_i;
          if (i == j) product += (1.0f - s * q) * __fdividef(0.5f, p);
        }
        if (l) {
          float mean_l = centre[l - 1][t] - centre_l + s * p * (b[l] - centre[l - 1][t]);
          float with_l = product * mean_l;
          if (j == l) with_l += cross * mean_i;
          if (i == l) with_l += cross * mean_j;
          if (i && k) {  // a bra has no fewer p functions than its ket
            float mean_k = centre[k - 1][t] - centre_k + s * p * (b[k] - centre[k - 1][t]);
            with_l *= mean_k;
            if (k == l) with_l += (1.0f - s * p) * __fdividef(0.5f, q) * product;
            if (i == k) with_l += cross * (mean_j * mean_l + (j == l ? cross : 0.0f));
            if (j == k) with_l += cross * (mean_i * mean_l + (i == l ? cross : 0.0f));
          }
          product = with_l;
        }
        value += w * product;
      }
      sum += b[4] * scale * value;
    }
    total += pairs[4 * slots] * sum;
    pairs += kWords * slots;
  }
  int group = row / 32;
  integrals[32 * (group + 1) * (16 * group + row % 32) + column] = total;
}

extern "C" __global__ void repulsion_shared(const float* pairs, float* integrals) {
  repulsion<Shared>(pairs, integrals);
}

extern "C" __global__ void repulsion_constant(const float* pairs, float* integrals) {
  repulsion<Constant>(pairs, integrals);
}

extern "C" __global__ void repulsion_branches(const float* pairs, float* integrals) {
  repulsion<Branches>(pairs, integrals);
}
