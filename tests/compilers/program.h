// What the programs of this folder are written in: a little of CUDA C++ that nvcc, clang without the CUDA headers and
// an ordinary C++ compiler all take. The last makes the reference of the same functions: EACH_THREAD(f) is a kernel
// whose every thread computes out[i] = f(in, i), or a loop over them. `./dev ptx` compiles each with
//
//   nvcc -ptx -std=c++17 -fmad=false -arch=compute_75 -lineinfo NAME.cu -o ptx/NAME.nvcc-sm_75.ptx
//
// and compile.sh with clang. Products and sums are not fused, so that results are those of the reference.
#pragma once

constexpr unsigned kBlocks = 4, kBlockThreads = 96, kThreads = kBlocks * kBlockThreads, kWords = 1024;

using Signed64 = long;
using Unsigned64 = unsigned long;

#if defined(__CUDACC__) || defined(__CUDA__)  // nvcc; clang
#define ON_GPU

#if defined(__clang__)
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __noinline__ __attribute__((noinline))
#define THREAD __nvvm_read_ptx_sreg_tid_x()
#define BLOCK __nvvm_read_ptx_sreg_ctaid_x()
#define BARRIER() __nvvm_bar_sync(0)
#define ATOMIC_ADD(p, v) __nvvm_atom_add_gen_i(reinterpret_cast<int*>(p), static_cast<int>(v))
#define ATOMIC_MAX(p, v) __nvvm_atom_max_gen_ui(p, v)
#define ATOMIC_CAS(p, old, v) \
  static_cast<unsigned>(__nvvm_atom_cas_gen_i(reinterpret_cast<int*>(p), static_cast<int>(old), static_cast<int>(v)))
#define ATOMIC_ADD64(p, v) __nvvm_atom_add_gen_l(reinterpret_cast<long*>(p), static_cast<long>(v))
#define ATOMIC_CAS64(p, old, v) \
  static_cast<unsigned long>(   \
      __nvvm_atom_cas_gen_l(reinterpret_cast<long*>(p), static_cast<long>(old), static_cast<long>(v)))
#define SQRT64(x) __nvvm_sqrt_rn_d(x)
#define SQRT32(x) __nvvm_sqrt_rn_f(x)
#define FMA64(a, b, c) __nvvm_fma_rn_d(a, b, c)
#define FMA32(a, b, c) __nvvm_fma_rn_f(a, b, c)
#define POPCOUNT(x) static_cast<unsigned>(__builtin_popcount(x))
#else
#define THREAD threadIdx.x
#define BLOCK blockIdx.x
#define BARRIER() __syncthreads()
#define ATOMIC_ADD(p, v) atomicAdd(p, v)
#define ATOMIC_MAX(p, v) atomicMax(p, v)
#define ATOMIC_CAS(p, old, v) atomicCAS(p, old, v)
#define ATOMIC_ADD64(p, v) atomicAdd(reinterpret_cast<unsigned long long*>(p), static_cast<unsigned long long>(v))
#define ATOMIC_CAS64(p, old, v)                                                                                        \
  static_cast<unsigned long>(atomicCAS(reinterpret_cast<unsigned long long*>(p), static_cast<unsigned long long>(old), \
                                       static_cast<unsigned long long>(v)))
#define SQRT64(x) __dsqrt_rn(x)
#define SQRT32(x) __fsqrt_rn(x)
#define FMA64(a, b, c) __fma_rn(a, b, c)
#define FMA32(a, b, c) __fmaf_rn(a, b, c)
#define POPCOUNT(x) static_cast<unsigned>(__popc(x))
#endif

#define DEVICE __device__
#define CALLED __device__ __noinline__  // a function of its own, whatever the compiler would rather do
#define KERNEL extern "C" __global__ void run(const unsigned* in, unsigned* out)
#define SECOND_KERNEL extern "C" __global__ void run_second(unsigned* out)  // launched behind the other
#define EACH_THREAD(f)                           \
  KERNEL {                                       \
    unsigned i = BLOCK * kBlockThreads + THREAD; \
    out[i] = f(in, i);                           \
  }

#else

#include <cmath>

#define DEVICE inline
#define CALLED inline
#define __constant__ const
#define SQRT64(x) std::sqrt(x)
#define SQRT32(x) std::sqrt(x)
#define FMA64(a, b, c) std::fma(a, b, c)
#define FMA32(a, b, c) std::fma(a, b, c)
#define POPCOUNT(x) static_cast<unsigned>(__builtin_popcount(x))
#define REFERENCE inline void reference(const unsigned* in, unsigned* out)
#define EACH_THREAD(f)                                         \
  REFERENCE {                                                  \
    for (unsigned i = 0; i < kThreads; ++i) out[i] = f(in, i); \
  }

#endif
