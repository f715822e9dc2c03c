// C = A B, square row-major matrices, in the four stages of Ryoo et al. 2008, section 4 (the loops are their Figure 3).
// Widths are multiples of the tile: the host pads. The pragmas pin the loop shapes that the paper counts: 8 PTX
// instructions in the naive inner loop, 59 with 16 fma in the unrolled tile loop.
//
//   nvcc -ptx -arch=compute_75 -lineinfo matmul.cu -o matmul.ptx

// (a) Initial version: each thread walks a row of A and a column of B in global memory.
extern "C" __global__ void naive(const float* A, const float* B, float* C, int widthA, int widthB) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  const float* a = A + row * widthA;
  const float* b = B + column;
  float sum = 0.0f;
#pragma unroll 1
  for (int i = 0; i < widthA; i++) {
    sum += *a * *b;
    a++;
    b += widthB;
  }
  C[row * widthB + column] = sum;
}

// (b) Tiled version: the block loads a TILE x TILE piece of A and of B into shared memory and reuses it TILE times.
template <int TILE>
__device__ __forceinline__ void tiled(const float* A, const float* B, float* C, int widthA, int widthB) {
  __shared__ float As[TILE][TILE];
  __shared__ float Bs[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, column = blockIdx.x * TILE + tx;
  const float* a = A + row * widthA + tx;
  const float* b = B + ty * widthB + column;
  float sum = 0.0f;
#pragma unroll 1
  for (int tile = 0; tile < widthA; tile += TILE) {
    As[ty][tx] = *a;
    Bs[ty][tx] = *b;
    a += TILE;
    b += TILE * widthB;
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < TILE; i++) sum += As[ty][i] * Bs[i][tx];
    __syncthreads();
  }
  C[row * widthB + column] = sum;
}

#define TILED(TILE)                                                                                             \
  extern "C" __global__ void tiled_##TILE(const float* A, const float* B, float* C, int widthA, int widthB) {   \
    tiled<TILE>(A, B, C, widthA, widthB);                                                                       \
  }
TILED(4)
TILED(8)
TILED(12)
TILED(16)

// One thread's share of a 16 x 16 tile's products, without a loop.
__device__ __forceinline__ float unrolled_products(const float As[16][16], const float Bs[16][16], float sum) {
#pragma unroll
  for (int i = 0; i < 16; i++) sum += As[threadIdx.y][i] * Bs[i][threadIdx.x];
  return sum;
}

// (c) Unrolled version: the loop over the tile is gone, and with it its counter, test, branch and address arithmetic.
extern "C" __global__ void unrolled(const float* A, const float* B, float* C, int widthA, int widthB) {
  __shared__ float As[16][16];
  __shared__ float Bs[16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
  const float* a = A + row * widthA + tx;
  const float* b = B + ty * widthB + column;
  float sum = 0.0f;
#pragma unroll 1
  for (int tile = 0; tile < widthA; tile += 16) {
    As[ty][tx] = *a;
    Bs[ty][tx] = *b;
    a += 16;
    b += 16 * widthB;
    __syncthreads();
    sum = unrolled_products(As, Bs, sum);
    __syncthreads();
  }
  C[row * widthB + column] = sum;
}

// Section 4.4: the unrolled version, with the loads of the next tile started before the products of this one. The last
// tile has no next one and stands after the loop, so that the loop needs no test for it: 59 instructions again.
extern "C" __global__ void prefetch(const float* A, const float* B, float* C, int widthA, int widthB) {
  __shared__ float As[16][16];
  __shared__ float Bs[16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
  const float* a = A + row * widthA + tx;
  const float* b = B + ty * widthB + column;
  float next_a = *a, next_b = *b;
  float sum = 0.0f;
#pragma unroll 1
  for (int tile = 16; tile < widthA; tile += 16) {
    As[ty][tx] = next_a;
    Bs[ty][tx] = next_b;
    a += 16;
    b += 16 * widthB;
    __syncthreads();
    next_a = *a;
    next_b = *b;
    sum = unrolled_products(As, Bs, sum);
    __syncthreads();
  }
  As[ty][tx] = next_a;
  Bs[ty][tx] = next_b;
  __syncthreads();
  C[row * widthB + column] = unrolled_products(As, Bs, sum);
}
