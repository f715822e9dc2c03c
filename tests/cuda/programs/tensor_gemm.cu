// Matrix products on tensor cores, by PTX (mma.sync with ldmatrix, movmatrix) and by the classes of mma.h, in shared and
// in global memory. Needs compute capability 7.5 (tensor cores with ldmatrix).
#include <cuda_fp16.h>
#include <mma.h>

#include "program.h"

const int M = 64, N = 64, K = 48;

/// A block has 32 x 32 of C; each of its four warps 16 x 16, as two products of m16n8k8 side by side.
__global__ void by_instructions(const float* a, const float* b, float* c) {
  __shared__ alignas(16) __half tile_a[32][16 + 8], tile_b[16][32 + 8];  // rows of 16 bytes in different banks
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = warp / 2 * 16, column = warp % 2 * 16;
  float sum[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    for (int i = threadIdx.x; i < 32 * 16; i += blockDim.x) {
      tile_a[i / 16][i % 16] = __float2half(a[(blockIdx.y * 32 + i / 16) * K + k + i % 16]);
      tile_b[i / 32][i % 32] = __float2half(b[(k + i / 32) * N + blockIdx.x * 32 + i % 32]);
    }
    __syncthreads();
    unsigned fragment_a[4], fragment_b[4];
    unsigned from_a = (unsigned)__cvta_generic_to_shared(&tile_a[row + lane % 16][lane / 16 * 8]);
    unsigned from_b = (unsigned)__cvta_generic_to_shared(&tile_b[lane % 16][column + lane / 16 * 8]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(fragment_a[0]), "=r"(fragment_a[1]), "=r"(fragment_a[2]), "=r"(fragment_a[3])
                 : "r"(from_a));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(fragment_b[0]), "=r"(fragment_b[1]), "=r"(fragment_b[2]), "=r"(fragment_b[3])
                 : "r"(from_b));
    for (int half = 0; half < 2; half++)
      for (int part = 0; part < 2; part++)
        asm volatile(
            "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
            : "+f"(sum[half][0]), "+f"(sum[half][1]), "+f"(sum[half][2]), "+f"(sum[half][3])
            : "r"(fragment_a[2 * part]), "r"(fragment_a[2 * part + 1]), "r"(fragment_b[2 * half + part]));
    __syncthreads();
  }
  for (int half = 0; half < 2; half++)
    for (int i = 0; i < 4; i++)
      c[(blockIdx.y * 32 + row + lane / 4 + i / 2 * 8) * N + blockIdx.x * 32 + column + half * 8 + lane % 4 * 2 + i % 2] =
          sum[half][i];
}

/// A warp has 16 x 16 of C.
__global__ void by_classes(const float* a, const float* b, float* c, int is_in_shared) {
  using namespace nvcuda::wmma;
  __shared__ alignas(32) __half tile_a[16 * 24], tile_b[16 * 16];
  __shared__ alignas(32) float tile_c[16 * 16];
  fragment<matrix_a, 16, 16, 16, __half, row_major> of_a;
  fragment<matrix_b, 16, 16, 16, __half, col_major> of_b;
  fragment<accumulator, 16, 16, 16, float> sum;
  fill_fragment(sum, 0.0f);
  for (int k = 0; k < K; k += 16) {
    for (int i = threadIdx.x; i < 256; i += 32) {
      tile_a[i / 16 * 24 + i % 16] = __float2half(a[(blockIdx.y * 16 + i / 16) * K + k + i % 16]);
      tile_b[i] = __float2half(b[(k + i % 16) * N + blockIdx.x * 16 + i / 16]);
    }
    __syncwarp();
    load_matrix_sync(of_a, tile_a, 24);
    load_matrix_sync(of_b, tile_b, 16);
    mma_sync(sum, of_a, of_b, sum);
    __syncwarp();
  }
  for (int i = 0; i < sum.num_elements; i++) sum.x[i] *= 2;
  float* to = c + blockIdx.y * 16 * N + blockIdx.x * 16;
  if (!is_in_shared) return store_matrix_sync(to, sum, N, mem_row_major);
  store_matrix_sync(tile_c, sum, 16, mem_col_major);
  __syncwarp();
  for (int i = threadIdx.x; i < 256; i += 32) to[i / 16 * N + i % 16] = tile_c[i % 16 * 16 + i / 16];
}

/// Bytes, from global memory: a and b are 32 x 16 and 16 x 8.
__global__ void of_bytes(const signed char* a, const signed char* b, int* c) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 32, 8, 16, signed char, row_major> of_a;
  fragment<matrix_b, 32, 8, 16, signed char, row_major> of_b;
  fragment<accumulator, 32, 8, 16, int> sum;
  fill_fragment(sum, 5);
  load_matrix_sync(of_a, a, 16);
  load_matrix_sync(of_b, b, 8);
  mma_sync(sum, of_a, of_b, sum);
  store_matrix_sync(c, sum, 8, mem_row_major);
}

/// A matrix of 8 x 8 numbers of 16 bits, transposed.
__global__ void transposed(const unsigned* in, unsigned* out) {
  unsigned moved;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(moved) : "r"(in[threadIdx.x]));
  out[threadIdx.x] = moved;
}

int main() {
  unsigned seed = 7;
  std::vector<float> a(M * K), b(K * N), expected(M * N), doubled(M * N);
  for (float& x : a) x = (int)(draw(seed) % 17) - 8;
  for (float& x : b) x = ((int)(draw(seed) % 17) - 8) * 0.25f;
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < K; k++) expected[i * N + j] += a[i * K + k] * b[k * N + j];
  for (int i = 0; i < M * N; i++) doubled[i] = 2 * expected[i];
  Array<float> on_a(a), on_b(b), on_c(M * N);
  by_instructions<<<dim3(N / 32, M / 32), 128>>>(on_a, on_b, on_c);
  int wrong = differences(on_c.get(), expected);
  for (int is_in_shared = 0; is_in_shared < 2; is_in_shared++) {
    by_classes<<<dim3(N / 16, M / 16), 32>>>(on_a, on_b, on_c, is_in_shared);
    wrong += differences(on_c.get(), doubled);
  }

  std::vector<signed char> byte_a(32 * 16), byte_b(16 * 8);
  for (signed char& x : byte_a) x = (signed char)draw(seed);
  for (signed char& x : byte_b) x = (signed char)draw(seed);
  std::vector<int> sums(32 * 8, 5);
  for (int i = 0; i < 32; i++)
    for (int j = 0; j < 8; j++)
      for (int k = 0; k < 16; k++) sums[i * 8 + j] += byte_a[i * 16 + k] * byte_b[k * 8 + j];
  Array<signed char> on_byte_a(byte_a), on_byte_b(byte_b);
  Array<int> on_sums(32 * 8);
  of_bytes<<<1, 32>>>(on_byte_a, on_byte_b, on_sums);
  wrong += differences(on_sums.get(), sums);

  std::vector<unsigned> pairs(32), turned(32);
  for (int i = 0; i < 32; i++) pairs[i] = (2 * i + 1) << 16 | (2 * i);
  for (int i = 0; i < 32; i++) turned[i] = ((i % 4 * 2 + 1) * 8 + i / 4) << 16 | (i % 4 * 2 * 8 + i / 4);
  Array<unsigned> on_pairs(pairs), on_turned(32);
  transposed<<<1, 32>>>(on_pairs, on_turned);
  wrong += differences(on_turned.get(), turned);
  return verdict("tensor_gemm", wrong);
}
