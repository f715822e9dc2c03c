// A square matrix of floats transposed by tiles of 32 x 32 with blocks of 32 x 8 threads, in the stages that Ruetsch
// and Micikevicius describe (Optimizing Matrix Transpose in CUDA, 2009), beside a copy of the same shape. Written from
// that description. A thread moves the elements of its column in every eighth row of the tile; n is a multiple of 32.
//
//   nvcc -ptx -arch=compute_75 -lineinfo transpose.cu -o transpose.ptx
constexpr int kTile = 32, kRows = 8;

// The element of this thread in the first rows of tile (x, y).
__device__ __forceinline__ int first(int x, int y, int n) {
  return (y * kTile + threadIdx.y) * n + x * kTile + threadIdx.x;
}

extern "C" __global__ void copy(float* out, const float* in, int n) {
  int at = first(blockIdx.x, blockIdx.y, n);
#pragma unroll
  for (int i = 0; i < kTile; i += kRows) out[at + i * n] = in[at + i * n];
}

// Reads rows, writes columns: the stores of a half-warp are n words apart.
extern "C" __global__ void naive(float* out, const float* in, int n) {
  int at = first(blockIdx.x, blockIdx.y, n);
  int to = (blockIdx.x * kTile + threadIdx.x) * n + blockIdx.y * kTile + threadIdx.y;
#pragma unroll
  for (int i = 0; i < kTile; i += kRows) out[to + i] = in[at + i * n];
}

// Tile (fromX, fromY) of `in` through shared memory to tile (toX, toY) of `out`, so that both sides are coalesced; with
// its elements transposed, or as they are. Rows of PITCH words: with 32 all elements of a column share a bank.
template <int PITCH, bool TRANSPOSED>
__device__ __forceinline__ void move(float* out, const float* in, int n, int fromX, int fromY, int toX, int toY) {
  __shared__ float tile[kTile][PITCH];
  int from = first(fromX, fromY, n), to = first(toX, toY, n);
#pragma unroll
  for (int i = 0; i < kTile; i += kRows) tile[threadIdx.y + i][threadIdx.x] = in[from + i * n];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kTile; i += kRows)
    out[to + i * n] = TRANSPOSED ? tile[threadIdx.x][threadIdx.y + i] : tile[threadIdx.y + i][threadIdx.x];
}

extern "C" __global__ void coalesced(float* out, const float* in, int n) {
  move<kTile, true>(out, in, n, blockIdx.x, blockIdx.y, blockIdx.y, blockIdx.x);
}

extern "C" __global__ void padded(float* out, const float* in, int n) {
  move<kTile + 1, true>(out, in, n, blockIdx.x, blockIdx.y, blockIdx.y, blockIdx.x);
}

// Half of a transpose each: elements within their tile, and tiles as wholes.
extern "C" __global__ void fine_grained(float* out, const float* in, int n) {
  move<kTile + 1, true>(out, in, n, blockIdx.x, blockIdx.y, blockIdx.x, blockIdx.y);
}

extern "C" __global__ void coarse_grained(float* out, const float* in, int n) {
  move<kTile + 1, false>(out, in, n, blockIdx.x, blockIdx.y, blockIdx.y, blockIdx.x);
}

// `padded` with the tiles of blocks that run at the same time on a diagonal: neither their reads nor their writes lie
// in one column of tiles.
extern "C" __global__ void diagonal(float* out, const float* in, int n) {
  int y = blockIdx.x, x = (blockIdx.x + blockIdx.y) % gridDim.x;
  move<kTile + 1, true>(out, in, n, x, y, y, x);
}
