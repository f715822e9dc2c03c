// What the programs of this folder that record single forms share: checked calls, and numbers that look random.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#define CK(x)                                                                   \
  do {                                                                          \
    cudaError_t e_ = (x);                                                       \
    if (e_ != cudaSuccess) {                                                    \
      printf("ERROR %s: %s (line %d)\n", #x, cudaGetErrorString(e_), __LINE__); \
      fflush(stdout);                                                           \
      return 1;                                                                 \
    }                                                                           \
  } while (0)
static __host__ __device__ inline uint32_t mixed(uint32_t v) {
  v ^= v >> 16, v *= 0x7feb352du, v ^= v >> 15, v *= 0x846ca68bu;
  return v ^ (v >> 16);
}
