// Attention, forward: O = softmax(Q K^T / sqrt(64)) V for heads of 64 numbers, with the softmax computed block by block
// while K and V pass (Milakov and Gimelshein 2018; Dao et al. 2022), so that no matrix of n x n is stored.
//   attention_mma: a warp has 16 queries; products on tensor cores, K and V through shared memory by cp.async
//   attention_plain: a thread has one query; everything in f32
// n is a multiple of 64. With `causal` a query attends to the keys up to itself.
//
//   nvcc -ptx -arch=compute_80 -lineinfo attention.cu -o attention.ptx
#include <cuda_fp16.h>
#include <cuda_pipeline_primitives.h>

#include "../gemm-mma-async/fragments.h"

constexpr int kHead = 64, kKeys = 64, kQueries = 64;  // numbers of a head; keys and queries of a block at a time

// Chunks of 16 bytes lie permuted within their row, so that eight rows are in different banks.
__device__ int at(int row, int chunk) { return row * kHead + (chunk ^ (row & 7)) * 8; }
__device__ unsigned two_halves(float low, float high) {
  const __half2 both = __floats2half2_rn(low, high);
  return *reinterpret_cast<const unsigned*>(&both);
}
/// The greatest value of the four lanes that have a row.
__device__ float row_max(float value) {
  value = fmaxf(value, __shfl_xor_sync(0xffffffff, value, 1));
  return fmaxf(value, __shfl_xor_sync(0xffffffff, value, 2));
}
__device__ float row_sum(float value) {
  value += __shfl_xor_sync(0xffffffff, value, 1);
  return value + __shfl_xor_sync(0xffffffff, value, 2);
}

// grid: n / 64 blocks of queries, heads.
extern "C" __global__ void __launch_bounds__(128)
    attention_mma(const __half* q, const __half* k, const __half* v, float* o, int n, int causal) {
  __shared__ __align__(128) __half tile_k[2][kKeys * kHead];
  __shared__ __align__(128) __half tile_v[2][kKeys * kHead];
  const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  const size_t head = static_cast<size_t>(blockIdx.y) * n * kHead;
  const int first_query = blockIdx.x * kQueries + warp * 16;
  const int last_key = causal ? blockIdx.x * kQueries + kQueries : n;

  auto copy = [&](int stage, int first_key) {
    for (int i = 0; i < 4; ++i) {
      const int part = thread + 128 * i, row = part / 8, chunk = part % 8;
      const size_t from = head + static_cast<size_t>(first_key + row) * kHead + chunk * 8;
      __pipeline_memcpy_async(&tile_k[stage][at(row, chunk)], &k[from], 16);
      __pipeline_memcpy_async(&tile_v[stage][at(row, chunk)], &v[from], 16);
    }
    __pipeline_commit();
  };
  copy(0, 0);

  // The queries' fragments: rows lane / 4 and + 8, numbers 2 (lane % 4) and + 8 of each 16.
  unsigned part_q[4][4];
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      const int row = first_query + lane / 4 + j % 2 * 8, column = 16 * i + lane % 4 * 2 + j / 2 * 8;
      part_q[i][j] = *reinterpret_cast<const unsigned*>(&q[head + static_cast<size_t>(row) * kHead + column]);
    }

  const float scale = 0.125f * 1.44269504f;  // 1 / sqrt(64), and powers of two in place of e
  float out[8][4] = {}, most[2] = {-INFINITY, -INFINITY}, total[2] = {};
  for (int first_key = 0, stage = 0; first_key < last_key; first_key += kKeys, stage ^= 1) {
    __pipeline_wait_prior(0);
    __syncthreads();
    if (first_key + kKeys < last_key) copy(stage ^ 1, first_key + kKeys);
    float score[8][4] = {};
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) {
        unsigned part_k[4];  // 16 keys
        load_four(part_k, &tile_k[stage][at(16 * j + lane % 8 + lane / 16 * 8, 2 * i + lane / 8 % 2)]);
        multiply(score[2 * j], part_q[i], part_k[0], part_k[1]);
        multiply(score[2 * j + 1], part_q[i], part_k[2], part_k[3]);
      }
    float new_most[2] = {most[0], most[1]};
    for (int j = 0; j < 8; ++j)
      for (int e = 0; e < 4; ++e) {
        const int key = first_key + 8 * j + lane % 4 * 2 + e % 2, query = first_query + lane / 4 + e / 2 * 8;
        score[j][e] = causal && key > query ? -INFINITY : score[j][e] * scale;
        new_most[e / 2] = fmaxf(new_most[e / 2], score[j][e]);
      }
    for (int r = 0; r < 2; ++r) {
      new_most[r] = row_max(new_most[r]);
      const float shrink = exp2f(most[r] - new_most[r]);
      most[r] = new_most[r];
      total[r] *= shrink;
      for (int j = 0; j < 8; ++j) out[j][2 * r] *= shrink, out[j][2 * r + 1] *= shrink;
    }
    for (int j = 0; j < 8; ++j)
      for (int e = 0; e < 4; ++e) {
        score[j][e] = exp2f(score[j][e] - most[e / 2]);
        total[e / 2] += score[j][e];
      }
    for (int i = 0; i < 4; ++i) {
      const unsigned part_p[4] = {
          two_halves(score[2 * i][0], score[2 * i][1]), two_halves(score[2 * i][2], score[2 * i][3]),
          two_halves(score[2 * i + 1][0], score[2 * i + 1][1]), two_halves(score[2 * i + 1][2], score[2 * i + 1][3])};
      for (int j = 0; j < 4; ++j) {
        unsigned part_v[4];
        load_four_transposed(part_v, &tile_v[stage][at(16 * i + lane % 16, 2 * j + lane / 16)]);
        multiply(out[2 * j], part_p, part_v[0], part_v[1]);
        multiply(out[2 * j + 1], part_p, part_v[2], part_v[3]);
      }
    }
  }
  for (int r = 0; r < 2; ++r) {
    const float part = 1.0f / row_sum(total[r]);
    const size_t row = head + static_cast<size_t>(first_query + lane / 4 + r * 8) * kHead;
    for (int j = 0; j < 8; ++j)
      *reinterpret_cast<float2*>(&o[row + 8 * j + lane % 4 * 2]) =
          make_float2(out[j][2 * r] * part, out[j][2 * r + 1] * part);
  }
}

// grid: n / 64 blocks of queries, heads; 64 threads.
extern "C" __global__ void attention_plain(const __half* q, const __half* k, const __half* v, float* o, int n,
                                           int causal) {
  __shared__ __align__(16) __half tile_k[kKeys * kHead];
  __shared__ __align__(16) __half tile_v[kKeys * kHead];
  const size_t head = static_cast<size_t>(blockIdx.y) * n * kHead;
  const int query = blockIdx.x * kQueries + threadIdx.x;
  const int last_key = causal ? blockIdx.x * kQueries + kQueries : n;
  float own[kHead], out[kHead] = {}, most = -INFINITY, total = 0;
  for (int i = 0; i < kHead; ++i)
    own[i] = __half2float(q[head + static_cast<size_t>(query) * kHead + i]) * (0.125f * 1.44269504f);
  for (int first_key = 0; first_key < last_key; first_key += kKeys) {
    __syncthreads();
    for (int i = threadIdx.x; i < kKeys * kHead / 8; i += blockDim.x) {
      const size_t from = head + static_cast<size_t>(first_key) * kHead + 8 * i;
      reinterpret_cast<uint4*>(tile_k)[i] = *reinterpret_cast<const uint4*>(&k[from]);
      reinterpret_cast<uint4*>(tile_v)[i] = *reinterpret_cast<const uint4*>(&v[from]);
    }
    __syncthreads();
    for (int j = 0; j < kKeys && (!causal || first_key + j <= query); ++j) {
      float score = 0;
#pragma unroll
      for (int i = 0; i < kHead; ++i) score += own[i] * __half2float(tile_k[j * kHead + i]);
      const float new_most = fmaxf(most, score), shrink = exp2f(most - new_most), weight = exp2f(score - new_most);
      most = new_most;
      total = total * shrink + weight;
#pragma unroll
      for (int i = 0; i < kHead; ++i) out[i] = out[i] * shrink + weight * __half2float(tile_v[j * kHead + i]);
    }
  }
#pragma unroll
  for (int i = 0; i < kHead; ++i) o[head + static_cast<size_t>(query) * kHead + i] = out[i] / total;
}
