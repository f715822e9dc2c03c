// Tiles of a matrix product by warpgroups, as libraries of tiles write it in inline PTX: both factors in shared memory
// as 8 x 8 matrices side by side, and A in registers with B in rows of 128 bytes that are permuted. Needs sm_90a.
//   nvcc -ptx -std=c++17 -arch=compute_90a -lineinfo warpgroup_tiles.cu -o warpgroup_tiles.ptx
// flags: -gencode arch=compute_90a,code=sm_90a
#include <cuda_fp16.h>

#include "program.h"

const int M = 64, N = 64, K = 128, kDepth = 64;  // a block has all of C; so much of k is in shared memory at a time

/// A matrix descriptor: the distances of neighbours along k and along the rows, in bytes (PTX ISA 9.0, 9.7.15.5).
__device__ unsigned long long described(const void* matrix, unsigned along_k, unsigned along_rows,
                                        unsigned long long swizzle) {
  const unsigned at = (unsigned)__cvta_generic_to_shared(matrix);
  return (at & 0x3ffff) >> 4 | (unsigned long long)(along_k >> 4) << 16 | (unsigned long long)(along_rows >> 4) << 32 |
         swizzle << 62;
}

#define SUMS(c)                                                                                               \
  "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]), "+f"(c[8]), \
      "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15]), "+f"(c[16]),  \
      "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]), "+f"(c[22]), "+f"(c[23]), "+f"(c[24]), \
      "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]), "+f"(c[29]), "+f"(c[30]), "+f"(c[31])
#define NAMES                                                                                                       \
  "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, " \
  "%24, %25, %26, %27, %28, %29, %30, %31}"

__device__ void multiply(float (&c)[32], unsigned long long a, unsigned long long b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " NAMES ", %32, %33, 1, 1, 1, 0, 0;"
               : SUMS(c)
               : "l"(a), "l"(b));
}
__device__ void multiply(float (&c)[32], const unsigned (&a)[4], unsigned long long b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " NAMES ", {%32, %33, %34, %35}, %36, 1, 1, 1, 0;"
               : SUMS(c)
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}
__device__ void begin(float (&c)[32]) {
  for (int i = 0; i < 32; i++) asm volatile("" : "+f"(c[i])::"memory");
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ void end(float (&c)[32]) {
  asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
  for (int i = 0; i < 32; i++) asm volatile("" : "+f"(c[i])::"memory");
}
__device__ void store(const float (&sum)[32], float* c) {
  const int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, column = threadIdx.x % 4 * 2;
  for (int i = 0; i < 32; i++) c[(row + i / 2 % 2 * 8) * N + i / 4 * 8 + column + i % 2] = sum[i];
}

/// B is by columns. 8 x 8 matrices of 128 bytes: rows along, then k.
__global__ void in_shared_memory(const float* a, const float* b, float* c) {
  __shared__ alignas(128) __half tile_a[M * kDepth], tile_b[N * kDepth];
  float sum[32] = {};
  for (int from = 0; from < K; from += kDepth) {
    for (int i = threadIdx.x; i < M * kDepth; i += blockDim.x) {
      const int row = i / kDepth, k = i % kDepth, at = (k / 8 * (M / 8) + row / 8) * 64 + row % 8 * 8 + k % 8;
      tile_a[at] = __float2half(a[row * K + from + k]);
      tile_b[at] = __float2half(b[row * K + from + k]);
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    begin(sum);
    for (int k = 0; k < kDepth; k += 16)
      multiply(sum, described(&tile_a[k / 8 * (M / 8) * 64], M * 16, 128, 0),
               described(&tile_b[k / 8 * (N / 8) * 64], N * 16, 128, 0));
    end(sum);
    __syncthreads();
  }
  store(sum, c);
}

/// Rows of B, of 64 of k: the 16 bytes with number i of row r are at i ^ r % 8.
__global__ void in_registers(const float* a, const float* b, float* c) {
  __shared__ alignas(1024) __half tile_b[N * kDepth];
  float sum[32] = {};
  const int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, column = threadIdx.x % 4 * 2;
  for (int from = 0; from < K; from += kDepth) {
    for (int i = threadIdx.x; i < N * kDepth; i += blockDim.x) {
      const int n = i / kDepth, k = i % kDepth;
      tile_b[n * kDepth + (k / 8 ^ n % 8) * 8 + k % 8] = __float2half(b[n * K + from + k]);
    }
    unsigned part[kDepth / 16][4];
    for (int k = 0; k < kDepth; k += 16)
      for (int i = 0; i < 4; i++) {
        const float* two = &a[(row + i % 2 * 8) * K + from + k + i / 2 * 8 + column];
        const __half2 halves = __floats2half2_rn(two[0], two[1]);
        part[k / 16][i] = *(const unsigned*)&halves;
      }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    begin(sum);
    for (int k = 0; k < kDepth; k += 16) multiply(sum, part[k / 16], described(&tile_b[k], 16, 1024, 1));
    end(sum);
    __syncthreads();
  }
  store(sum, c);
}

int main() {
  std::vector<float> a(M * K), b(N * K), expected(M * N);  // multiples of 1/16: sums are exact
  unsigned state = 11;
  for (std::vector<float>* values : {&a, &b})
    for (float& value : *values) value = ((int)(draw(state) % 33) - 16) / 16.0f;
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < K; k++) expected[i * N + j] += a[i * K + k] * b[j * K + k];
  Array<float> on_a(a), on_b(b);
  Array<float> on_c(M * N);
  int wrong = 0;
  in_shared_memory<<<1, 128>>>(on_a, on_b, on_c);
  wrong += differences(on_c.get(), expected);
  CHECK(cudaMemset(on_c.data, 0, M * N * sizeof(float)));
  in_registers<<<1, 128>>>(on_a, on_b, on_c);
  wrong += differences(on_c.get(), expected);
  return verdict("warpgroup_tiles", wrong);
}
