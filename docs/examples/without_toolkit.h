// The few names of CUDA C++ that block_sum.cu uses, for clang without a CUDA toolkit (docs/make-ptx.md):
// `clang++ ... -nocudainc -nocudalib -include without_toolkit.h`. Programs that use more need the toolkit's headers.
#pragma once

#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))

#include <__clang_cuda_builtin_vars.h>  // threadIdx, blockIdx, blockDim, gridDim: part of clang, as __syncthreads is
