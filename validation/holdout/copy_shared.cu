// A copy of a square matrix of floats through shared memory, by tiles of 32 x 32 with blocks of 32 x 8 threads: the
// stage "Shared Memory Copy" of Ruetsch & Micikevicius 2009 (docs/sources.md). A thread moves the elements of its
// column in every eighth row of the tile, and reads back what it wrote; n is a multiple of 32.
//
//   nvcc -ptx -arch=compute_75 -lineinfo copy_shared.cu -o copy_shared.ptx
constexpr int kTile = 32, kRows = 8;

extern "C" __global__ void copy_shared(float* out, const float* in, int n) {
  __shared__ float tile[kTile][kTile];
  int at = (blockIdx.y * kTile + threadIdx.y) * n + blockIdx.x * kTile + threadIdx.x;
#pragma unroll
  for (int i = 0; i < kTile; i += kRows) tile[threadIdx.y + i][threadIdx.x] = in[at + i * n];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kTile; i += kRows) out[at + i * n] = tile[threadIdx.y + i][threadIdx.x];
}
