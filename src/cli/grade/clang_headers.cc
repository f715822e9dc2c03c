#include "cli/grade/clang_headers.h"

#include <array>

namespace warptime::cli {

namespace {

constexpr std::string_view kCudaNames = R"(#pragma once
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))

#include <__clang_cuda_builtin_vars.h>
typedef __SIZE_TYPE__ size_t;
#define warpSize 32

struct dim3 {
  unsigned x, y, z;
  __host__ __device__ constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};
extern "C" __host__ int cudaConfigureCall(dim3 grid, dim3 block, size_t shared = 0, void* stream = 0);
struct __attribute__((aligned(8))) float2 { float x, y; };
struct __attribute__((aligned(16))) float4 { float x, y, z, w; };
struct __attribute__((aligned(8))) int2 { int x, y; };
struct __attribute__((aligned(16))) int4 { int x, y, z, w; };
struct __attribute__((aligned(8))) uint2 { unsigned x, y; };
struct __attribute__((aligned(16))) uint4 { unsigned x, y, z, w; };

#define WARPTIME_DEVICE static __device__ __forceinline__
WARPTIME_DEVICE void __syncwarp(unsigned mask = 0xffffffffu) { asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory"); }
WARPTIME_DEVICE void __threadfence() { asm volatile("membar.gl;" ::: "memory"); }
WARPTIME_DEVICE void __threadfence_block() { asm volatile("membar.cta;" ::: "memory"); }

WARPTIME_DEVICE int min(int a, int b) { return a < b ? a : b; }
WARPTIME_DEVICE int max(int a, int b) { return a > b ? a : b; }
WARPTIME_DEVICE unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
WARPTIME_DEVICE unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }
WARPTIME_DEVICE float fminf(float a, float b) { return __builtin_fminf(a, b); }
WARPTIME_DEVICE float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
WARPTIME_DEVICE float fabsf(float a) { return __builtin_fabsf(a); }
WARPTIME_DEVICE float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
WARPTIME_DEVICE float sqrtf(float a) { float r; asm("sqrt.rn.f32 %0, %1;" : "=f"(r) : "f"(a)); return r; }
WARPTIME_DEVICE int __popc(unsigned a) { return __builtin_popcount(a); }

WARPTIME_DEVICE int atomicAdd(int* p, int v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); }
WARPTIME_DEVICE unsigned atomicAdd(unsigned* p, unsigned v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); }
WARPTIME_DEVICE float atomicAdd(float* p, float v) {
  float old;
  asm volatile("atom.add.f32 %0, [%1], %2;" : "=f"(old) : "l"(p), "f"(v) : "memory");
  return old;
}
WARPTIME_DEVICE int atomicSub(int* p, int v) { return __atomic_fetch_sub(p, v, __ATOMIC_RELAXED); }
WARPTIME_DEVICE unsigned atomicSub(unsigned* p, unsigned v) { return __atomic_fetch_sub(p, v, __ATOMIC_RELAXED); }
#define WARPTIME_ATOMIC(name, operation, type, letter, form)                                                       \
  WARPTIME_DEVICE type name(type* p, type v) {                                                                     \
    type old;                                                                                                      \
    asm volatile("atom." operation "." form " %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(v) : "memory");             \
    return old;                                                                                                    \
  }
WARPTIME_ATOMIC(atomicMin, "min", int, r, "s32")
WARPTIME_ATOMIC(atomicMax, "max", int, r, "s32")
WARPTIME_ATOMIC(atomicMin, "min", unsigned, r, "u32")
WARPTIME_ATOMIC(atomicMax, "max", unsigned, r, "u32")
WARPTIME_ATOMIC(atomicExch, "exch", int, r, "b32")
WARPTIME_ATOMIC(atomicExch, "exch", unsigned, r, "b32")
WARPTIME_ATOMIC(atomicAnd, "and", unsigned, r, "b32")
WARPTIME_ATOMIC(atomicOr, "or", unsigned, r, "b32")
WARPTIME_ATOMIC(atomicXor, "xor", unsigned, r, "b32")
WARPTIME_DEVICE unsigned atomicCAS(unsigned* p, unsigned compare, unsigned v) {
  unsigned old;
  asm volatile("atom.cas.b32 %0, [%1], %2, %3;" : "=r"(old) : "l"(p), "r"(compare), "r"(v) : "memory");
  return old;
}
WARPTIME_DEVICE int atomicCAS(int* p, int compare, int v) { return (int)atomicCAS((unsigned*)p, (unsigned)compare, (unsigned)v); }

#define WARPTIME_SHUFFLE(name, mode, bound)                                                                        \
  WARPTIME_DEVICE unsigned name(unsigned mask, unsigned v, unsigned lane, int width = 32) {                        \
    unsigned out, limits = (unsigned)((32 - width) << 8 | (bound));                                                \
    asm volatile("shfl.sync." mode ".b32 %0, %1, %2, %3, %4;" : "=r"(out) : "r"(v), "r"(lane), "r"(limits), "r"(mask)); \
    return out;                                                                                                    \
  }                                                                                                                \
  WARPTIME_DEVICE int name(unsigned mask, int v, unsigned lane, int width = 32) {                                  \
    return (int)name(mask, (unsigned)v, lane, width);                                                              \
  }                                                                                                                \
  WARPTIME_DEVICE float name(unsigned mask, float v, unsigned lane, int width = 32) {                              \
    return __builtin_bit_cast(float, name(mask, __builtin_bit_cast(unsigned, v), lane, width));                    \
  }
WARPTIME_SHUFFLE(__shfl_sync, "idx", 31)
WARPTIME_SHUFFLE(__shfl_up_sync, "up", 0)
WARPTIME_SHUFFLE(__shfl_down_sync, "down", 31)
WARPTIME_SHUFFLE(__shfl_xor_sync, "bfly", 31)
WARPTIME_DEVICE unsigned __ballot_sync(unsigned mask, int predicate) {
  unsigned out;
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, %2; }" : "=r"(out) : "r"(predicate), "r"(mask));
  return out;
}
)";

constexpr std::array kHeaders{HeaderText{kClangHeader, kCudaNames}, HeaderText{"cuda_runtime.h", "#pragma once\n"},
                              HeaderText{"cuda.h", "#pragma once\n"},
                              HeaderText{"device_launch_parameters.h", "#pragma once\n"},
                              HeaderText{"cuda_runtime_api.h", "#pragma once\n"}};

}  // namespace

std::span<const HeaderText> clang_headers() { return kHeaders; }

}  // namespace warptime::cli
